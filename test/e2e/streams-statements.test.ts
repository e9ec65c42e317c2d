import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';
import { statements } from '../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** Super table `m`, normal table `n`, and the database `o` for results. */
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE DATABASE o');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, v INT, k INT) TAGS (g INT)');
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, v INT, k INT)');
  for (const [at, name] of ['a', 'b', 'c'].entries())
    await service.run(`CREATE TABLE d.${name} USING d.m TAGS (${at % 2})`);
});

const windowed = 'SELECT _wstart, count(*) FROM d.m INTERVAL(10s)';

statements('what a stream cannot run is refused when it is made', service, 'd', [
  ...[
    `${windowed} UNION ALL ${windowed}`,
    'SELECT _wstart, count(*) FROM (SELECT * FROM d.m) INTERVAL(10s)',
    'SELECT _wstart, count(*) FROM d.n t1, d.a t2 WHERE t1.ts = t2.ts INTERVAL(10s)',
    `${windowed} FILL(PREV)`,
    `${windowed} ORDER BY 1`,
    `${windowed} LIMIT 1`,
    `${windowed} HAVING count(*) > 1`,
    'SELECT count(*) FROM d.m',
    'SELECT g, count(*) FROM d.m GROUP BY g',
    'SELECT ts, v FROM d.m',
    'SELECT v, ts FROM d.n',
    'SELECT ts FROM d.n',
    'SELECT ts, diff(v) FROM d.n',
    'SELECT ts, v FROM d.n WHERE ts > now',
    'SELECT ts, rand() FROM d.n',
    'SELECT _wstart, count(*), _qstart FROM d.m INTERVAL(10s)',
    'SELECT _wstart, histogram(v, "user_input", "[1,2]", 0) FROM d.m INTERVAL(10s)',
    'SELECT _wstart, count(*) FROM d.m WHERE v > (SELECT max(v) FROM d.n) INTERVAL(10s)',
    'SELECT _wstart, count(*) FROM d.m SESSION(ts, 1s)',
    'SELECT _wstart, count(*) FROM d.m PARTITION BY tbname, k COUNT_WINDOW(2)',
    'SELECT DISTINCT ts, v FROM d.n',
    'SELECT _wstart, count(*) FROM d.m INTERVAL(10s, AUTO)',
    'SELECT _wstart, count(*) FROM d.m PARTITION BY tbname STATE_WINDOW(v, 1)',
    'SELECT _wstart, twa(v) FROM d.n INTERVAL(10s)',
    'SELECT _wstart, elapsed(ts, 1s) + 1 FROM d.n INTERVAL(10s)',
    'SELECT _wstart, count(*), abs(twa(v)) FROM d.m PARTITION BY tbname INTERVAL(1d) SLIDING(1h)',
  ].map((query) => ({ sql: `CREATE STREAM r INTO o.r AS ${query}`, error: 0x2645 })),
  {
    sql: `CREATE STREAM r TRIGGER WINDOW_CLOSE INTO o.r AS SELECT _wstart, count(*) FROM d.n STATE_WINDOW(k)`,
    error: 0x2645,
  },
  { sql: `CREATE STREAM r INTO o.r TAGS (x INT) AS ${windowed}`, error: 0x2645, says: 'x' },
  { sql: `CREATE STREAM r INTO d.m (ts, v) AS ${windowed}`, error: 0x2645 },
  { sql: 'CREATE STREAM r INTO o.r AS SELECT _wstart FROM d.m INTERVAL(10s)', error: 0x2645 },
  { sql: `CREATE STREAM r INTO o.r (a) AS ${windowed}`, error: 0x263f },
  { sql: `CREATE STREAM r INTO o.r (a, a) AS ${windowed}`, error: 0x263c },
  { sql: `CREATE STREAM r INTO nowhere.r AS ${windowed}`, error: 0x0388 },
  { sql: 'CREATE STREAM r INTO o.r AS SELECT _wstart, count(*) FROM d.nothing INTERVAL(10s)', error: 0x2662 },
  { sql: 'CREATE STREAM r INTO o.r AS SELECT _wstart, count(nothing) FROM d.m INTERVAL(10s)', error: 0x2602 },
  { sql: `CREATE STREAM r INTO o.r SUBTABLE (v) AS ${windowed}`, error: 0x260c },
  { sql: 'CREATE STREAM r INTERVAL(10s) SLIDING(10s) FROM d.m INTO o.r AS SELECT count(*) FROM d.m', error: 0x0100 },
  { sql: `CREATE STREAM r WATERMARK 1n INTO o.r AS ${windowed}`, error: 0x2645, says: 'WATERMARK' },
  { sql: `CREATE STREAM r TRIGGER MAX_DELAY -5s INTO o.r AS ${windowed}`, error: 0x2645 },
  { sql: 'CREATE STREAM r IGNORE EXPIRED 1 INTO o.r AS SELECT count(*) FROM d.n STATE_WINDOW(k)', error: 0x2645 },
  { sql: 'SHOW o.STABLES LIKE "r"', rows: [] },
  {
    sql: 'CREATE STREAM r INTO o.r SUBTABLE (concat("x", g)) AS SELECT count(*) FROM d.m PARTITION BY tbname INTERVAL(1s)',
    error: 0x2802,
  },
]);

statements('streams are known by their names', service, 'd', [
  {
    sql: 'CREATE STREAM twice WATERMARK 3s INTO o.twice AS SELECT count(*) FROM m PARTITION BY g INTERVAL(10s)',
    affected: 0,
  },
  { sql: 'CREATE STREAM twice INTO o.twice AS SELECT count(*) FROM m PARTITION BY g INTERVAL(10s)', error: 0x03f0 },
  {
    sql: `SELECT stream_name, sql, status, source_db, target_db, target_table, watermark, trigger
      FROM information_schema.ins_streams WHERE stream_name = 'twice'`,
    rows: [
      [
        'twice',
        'CREATE STREAM twice WATERMARK 3s INTO o.twice AS SELECT count(*) FROM m PARTITION BY g INTERVAL(10s)',
        'Running',
        'd',
        'o',
        'twice',
        3000,
        'AT_ONCE',
      ],
    ],
  },
  {
    sql: 'CREATE STREAM circle INTO m (ts, v) AS SELECT _wstart, count(*) FROM o.twice INTERVAL(10s)',
    error: 0x2645,
    says: 'read what it writes',
  },
  { sql: 'DROP STREAM twice', affected: 0 },
  { sql: 'DROP STREAM twice', error: 0x03f1 },
  { sql: 'DROP STREAM IF EXISTS twice', affected: 0 },
  { sql: 'PAUSE STREAM twice', error: 0x03f1 },
  { sql: 'RESUME STREAM IF EXISTS twice', affected: 0 },
]);
