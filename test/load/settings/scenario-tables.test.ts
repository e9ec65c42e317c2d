import test from 'ava';
import { file, type Keys, plan, request, scenario } from '../../support/load/insert-file.js';
import { insertOf, loadRequest, notesOf, nowMs, refusalOf } from '../../support/load/request.js';

test('passes on the options of a database that it has', (t) => {
  const answer = request(
    {},
    {
      replica: 1,
      vgroups: 6,
      days: 5,
      keep: '3650,3650,3650',
      walLevel: 2,
      cacheLast: 3,
      fsync: 3000,
      cachemodel: 'none',
      minRows: 100,
      precision: 'US',
      blocks: 6,
      cache: 16,
      quorum: 1,
      update: 0,
      nosuch: 1,
      flush_each_batch: 'no',
    },
  );
  const [database] = insertOf(answer).databases;
  t.is(database?.precision, 'us');
  t.deepEqual(database?.options, [
    'REPLICA 1',
    'VGROUPS 6',
    'DURATION 5',
    'KEEP 3650,3650,3650',
    'WAL_LEVEL 2',
    "CACHEMODEL 'both'",
    'WAL_FSYNC_PERIOD 3000',
    "CACHEMODEL 'none'",
    'MINROWS 100',
    "PRECISION 'us'",
  ]);
  t.is(answer.notes.filter(({ level }) => level === 'warn').length, 6);
});

test('options of a database may have the quotes of the statement, and those without a value are not given', (t) => {
  const { databases } = scenario({}, { cachemodel: "'both'", buffer: '"64"', cachesize: '', comp: null });
  t.deepEqual(databases[0]?.options, ["CACHEMODEL 'both'", 'BUFFER 64', "PRECISION 'ms'"]);
});

test('says of replicas that there is one copy', (t) => {
  t.regex(notesOf(request({}, { replica: 3 })), /dbinfo\.replica: is recorded, but the data has one copy/);
});

test('refuses options that the database would refuse before anything is touched, unless the database is kept', (t) => {
  for (const [dbinfo, refusal] of [
    [{ minRows: 10000 }, /dbinfo\.minRows: Invalid option minrows: 10000 valid range: \[10, 1000\]/],
    [{ comp: 2, days: 20, keep: 30 }, /dbinfo\.keep: Invalid option keep: 30, it must be at least 3 times duration/],
    [{ walLevel: 'x' }, /dbinfo\.walLevel: Invalid option wal_level/],
  ] as const) {
    t.regex(refusalOf(request({}, dbinfo)), refusal);
  }
  t.notThrows(() => scenario({}, { minRows: 10000, drop: 'no' }));
  t.regex(refusalOf(loadRequest(['-v', '5000'])), /Invalid option vgroups: 5000/);
  t.notThrows(() => insertOf(loadRequest(['-v', '5000', '-Q'])));
});

test('makes normal tables of a super table without tags', (t) => {
  for (const tags of [undefined, []]) t.true(plan({ tags: tags }).normalTables);
  t.is(plan({ tags: undefined, childtable_count: 1, childtable_prefix: undefined }).childPrefix, '');
});

test('gives settings of a super table the place before those of the top level', (t) => {
  const top = {
    interlace_rows: 3,
    insert_interval: 40,
    escape_character: 'yes',
    keep_trying: 2,
    trying_interval: 70,
    continue_if_fail: 'yes',
    childtable_from: 1,
    childtable_to: 5,
  };
  const outer = plan({ insert_rows: 10 }, {}, top);
  t.is(outer.interlaceRows, 3);
  t.is(outer.insertIntervalMs, 40);
  t.true(outer.escapeNames);
  t.deepEqual(outer.attempts, { more: 2, intervalMs: 70 });
  t.is(outer.failure, 'yes');
  t.deepEqual([outer.childFrom, outer.childTo], [1, 5]);
  const own = {
    insert_rows: 10,
    interlace_rows: 2,
    insert_interval: 30,
    escape_character: 'no',
    keep_trying: 4,
    trying_interval: 60,
    continue_if_fail: 'smart',
    childtable_from: 2,
    childtable_to: 6,
  };
  const inner = plan(own, {}, top);
  t.is(inner.interlaceRows, 2);
  t.is(inner.insertIntervalMs, 30);
  t.false(inner.escapeNames);
  t.deepEqual(inner.attempts, { more: 4, intervalMs: 60 });
  t.is(inner.failure, 'smart');
  t.deepEqual([inner.childFrom, inner.childTo], [2, 6]);
});

for (const [value, more] of [
  [0, 0],
  [3, 3],
  ['3', 3],
  [-1, Number.POSITIVE_INFINITY],
  ['yes', Number.POSITIVE_INFINITY],
  ['no', 0],
  [true, Number.POSITIVE_INFINITY],
] as const) {
  test(`tries ${more} more times for keep_trying ${JSON.stringify(value)}`, (t) => {
    t.is(plan({}, {}, { keep_trying: value }).attempts.more, more);
  });
}

test('reads the window of sub-tables that exist', (t) => {
  const exists = { child_table_exists: 'yes', childtable_count: 8 };
  const windowOf = (superTable: Keys) => {
    const { childExists, childLimit, childOffset } = plan({ ...exists, ...superTable }, { drop: 'no' });
    return [childExists, childLimit, childOffset];
  };
  t.deepEqual(windowOf({ childtable_limit: 2, childtable_offset: 1 }), [true, 2, 1]);
  t.deepEqual(windowOf({}), [true, 8, 0]);
  t.deepEqual(windowOf({ childtable_limit: 0 }), [true, 8, 0]);
  t.deepEqual(windowOf({ childtable_limit: -1 }), [true, 8, 0]);
  t.deepEqual(windowOf({ childtable_limit: 9 }), [true, 8, 0]);
  t.deepEqual(windowOf({ childtable_offset: -4 }), [true, 8, 0]);
  const dropped = request({ ...exists, childtable_limit: 2 });
  t.false(insertOf(dropped).databases[0]?.superTables[0]?.childExists);
  t.regex(notesOf(dropped), /child_table_exists: has no effect, because the database is dropped/);
  t.false(plan({ ...exists, auto_create_table: 'yes' }, { drop: 'no' }).autoCreateTable);
});

test('makes a negative beginning of the range 0', (t) => {
  const answer = request({ childtable_from: -3, childtable_to: 4 });
  t.is(insertOf(answer).databases[0]?.superTables[0]?.childFrom, 0);
  t.regex(notesOf(answer), /-3 is out of range; allowed: 0 or more; 0 is used/);
});

test('reads how sub-tables come to be', (t) => {
  const superTable = plan({
    batch_create_tbl_numbers: '1,2,3,',
    batch_create_tbl_intervals: '1000, 2000',
    ttl: 5,
    auto_create_table: 'yes',
  });
  t.deepEqual(superTable.createBatches, [1, 2, 3]);
  t.deepEqual(superTable.createPausesMs, [1000, 2000]);
  t.is(superTable.ttl, 5);
  t.true(superTable.autoCreateTable);
  t.deepEqual(plan({ batch_create_tbl_num: 50 }).createBatches, [50]);
  t.false(plan({ auto_create_table: 'yes', insert_mode: 'sml' }).autoCreateTable);
});

test('insert_mode, line_protocol and tcp_transfer choose the way that rows take', (t) => {
  t.is(plan({ insert_mode: 'STMT' }).mode, 'stmt');
  t.is(plan({ insert_mode: 'sml', line_protocol: 'json' }).format, 'json');
  t.is(plan({ insert_mode: 'sml-rest', line_protocol: 'telnet' }).tcpPort, undefined);
  for (const value of ['tcp', 'yes', true]) {
    t.is(plan({ insert_mode: 'sml-rest', line_protocol: 'telnet', tcp_transfer: value }).tcpPort, 6046);
  }
  for (const value of ['http', 'no', false, '']) {
    t.is(plan({ insert_mode: 'sml-rest', line_protocol: 'telnet', tcp_transfer: value }).tcpPort, undefined);
  }
  const tcp = { insert_mode: 'sml-rest', line_protocol: 'telnet', tcp_transfer: 'tcp' };
  t.is(plan(tcp, {}, { telnet_tcp_port: 7 }).tcpPort, 7);
  t.regex(notesOf(request(tcp)), /the listener on port 6046 writes to a database of its own choice/);
  t.true(scenario({}, {}, { insert_mode: 'rest' }).definitionsOverHttp);
  const rest = scenario({ insert_mode: 'rest' }, {}, { port: 6030 });
  t.true(rest.definitionsOverHttp);
  t.is(rest.connection.httpPort, 6041);
  t.is(scenario({ insert_mode: 'rest' }, {}, { port: 7041 }).connection.httpPort, 7041);
});

test('reads sample and tags files', (t) => {
  t.deepEqual(plan({ data_source: 'sample', sample_file: './s.csv', use_sample_ts: 'yes' }).sample, {
    file: './s.csv',
    useTimes: true,
    fileOfTable: undefined,
  });
  const timed = plan({ data_source: 'sample', sample_file: './s.csv', use_sample_ts: 'yes' });
  t.is(timed.rows, 1);
  t.is(timed.rowsPerRequest, 30000);
  t.is(plan({ sample_file: './s.csv' }).sample, undefined);
  t.is(plan({ tags_file: './t.csv' }).tagsFile, './t.csv');
  t.is(plan({ tags_file: './t.csv', insert_mode: 'stmt' }).tagsFile, './t.csv');
  t.is(plan({ tags_file: './t.csv', insert_mode: 'sml' }).tagsFile, undefined);
});

for (const [start, precision, ticks] of [
  ['now', 'us', BigInt(nowMs) * 1000n],
  ['2024-02-01 00:00:00.000', 'ms', 1706745600000n],
  ['2024-02-01T00:00:00Z', 'ns', 1706745600000000000n],
  ['2024-02-01 08:00:00.5+08:00', 'ms', 1706745600500n],
  [1706745600000, 'ms', 1706745600000n],
  ['1706745600000', 'ms', 1706745600000n],
] as const) {
  test(`begins at ${JSON.stringify(start)} in ${precision}`, (t) => {
    t.is(plan({ start_timestamp: start }, { precision }).start, ticks);
  });
}

test('reads a start in nanoseconds exactly', (t) => {
  const text = JSON.stringify(file({ start_timestamp: 'START' }, { precision: 'ns' })['a.json']);
  const answer = loadRequest(['-f', 'a.json'], { 'a.json': text.replace('"START"', '1706745600000000001') });
  t.is(insertOf(answer).databases[0]?.superTables[0]?.start, 1706745600000000001n);
});

test('partial columns, disorder and rows per request are kept within their bounds', (t) => {
  t.is(plan({ partial_col_num: 1, columns: [{ type: 'int', count: 3 }] }).partialColumns, 1);
  t.is(plan({ partial_col_num: 3, columns: [{ type: 'int', count: 3 }] }).partialColumns, 0);
  t.is(plan({ partial_col_num: 1, columns: [{ type: 'int', count: 3 }], insert_mode: 'stmt' }).partialColumns, 0);
  t.is(plan({ disorder_ratio: 50 }).disorderRatio, 50);
  t.true(plan({ non_stop_mode: 'yes', insert_rows: 1 }).nonStop);
  t.is(plan({}, {}, { num_of_records_per_req: 0 }).rowsPerRequest, 30000);
  t.is(plan({}, {}, { num_of_records_per_req: 2097153 }).rowsPerRequest, 30000);
  t.is(plan({ disorder_range: 0 }).disorderRange, 0);
});

test('reads the words after the columns of a super table', (t) => {
  const superTable = plan({
    comment: "it's \\",
    delay: 5,
    file_factor: 0.5,
    rollup: 'avg',
    max_delay: '10s',
    watermark: '5s',
    columns: [
      { type: 'int', name: 'a', sma: 'yes' },
      { type: 'int', name: 'b' },
      { type: 'int', name: 'c', sma: 'yes' },
    ],
  });
  t.deepEqual(superTable.options, [
    "COMMENT 'it\\'s \\\\'",
    'DELAY 5',
    'FILE_FACTOR 0.5',
    'ROLLUP (avg)',
    'MAX_DELAY 10s',
    'WATERMARK 5s',
    'SMA(`a`,`c`)',
  ]);
});

test('reads streams that are to be made', (t) => {
  const stream = { stream_name: 's', stream_stb: 'out', source_sql: 'select 1', drop: 'yes' };
  const full = {
    ...stream,
    trigger_mode: 'at_once',
    watermark: '5s',
    ignore_expired: 1,
    stream_tag_field: 'a int',
    subtable: 'tbname',
  };
  t.deepEqual(scenario({}, {}, { streams: [full, { ...stream, drop: 'no' }] }).streams, [
    {
      name: 's',
      target: 'out',
      sql: 'select 1',
      options: ['TRIGGER at_once', 'WATERMARK 5s', 'IGNORE EXPIRED 1'],
      targetOptions: ['TAGS (a int)', 'SUBTABLE (tbname)'],
    },
  ]);
});

test('reads one stream without a list around it', (t) => {
  const stream = { stream_name: 's', stream_stb: 'out', stream_sql: 'select 1', drop: 'yes' };
  t.is(scenario({}, {}, { stream }).streams.length, 1);
  t.regex(
    refusalOf(request({}, {}, { stream: { ...stream, stream_sql: 1.5, stream_stb: '' } })),
    /stream\.stream_stb: is missing/,
  );
});

test('checks streams before anything is touched', (t) => {
  const stream = {
    stream_name: 's',
    stream_stb: 'out',
    stream_sql: 'select count(*) from till interval(1m)',
    drop: 'yes',
  };
  t.is(scenario({}, {}, { stream }).streams.length, 1);
  const refused = (more: Keys, top: Keys = {}) =>
    refusalOf(request({}, {}, { ...top, stream: { ...stream, ...more } }));
  t.regex(refused({ stream_sql: 'selct 1' }), /stream\.stream_sql: the stream cannot be made: /);
  t.regex(refused({ trigger_mode: 'sometimes' }), /stream\.stream_sql: the stream cannot be made: /);
  const databases = ['one', 'two'].map((name) => ({ dbinfo: { name } }));
  t.regex(refused({}, { databases }), /stream\.stream_stb: "out" names no database, and there are several/);
});

test('reads time-range aggregates', (t) => {
  const tsma = { name: 'a', function: 'avg(c0)', interval: '10s', sliding: '5s' };
  t.deepEqual(plan({ tsmas: [tsma] }).tsmas, [{ ...tsma, custom: '', startWhenInserted: 0 }]);
});
