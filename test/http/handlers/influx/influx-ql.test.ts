import test from 'ava';
import fc from 'fast-check';
import '../../../support/property-seed.js';
import { readInfluxQl } from '../../../../src/http/handlers/influx/influx-ql.js';

test('the statements that clients send around their writes are read in every spelling', (t) => {
  t.deepEqual(readInfluxQl('create database db0'), [{ kind: 'create-database', name: 'db0' }]);
  t.deepEqual(readInfluxQl('CREATE DATABASE IF NOT EXISTS "tele\\"graf";'), [
    { kind: 'create-database', name: 'tele"graf' },
  ]);
  t.deepEqual(readInfluxQl('SHOW DATABASES; show retention policies ON "d"\n-- that is all\n;'), [
    { kind: 'show-databases' },
    { kind: 'show-retention-policies', database: 'd' },
  ]);
  const policies: [string, object][] = [
    ['DURATION 30d', { keepMinutes: 43_200 }],
    ['duration 1w12h replication 1 shard duration 1d name "liquid"', { keepMinutes: 10_800 }],
    ['DURATION 168h0m0s NAME x', { keepMinutes: 10_080 }],
    ['DURATION 90s', { keepMinutes: 2 }],
    ['DURATION INF REPLICATION 1', {}],
    ['DURATION 0s', {}],
    ['NAME x', {}],
  ];
  for (const [policy, keep] of policies)
    t.deepEqual(readInfluxQl(`CREATE DATABASE d WITH ${policy}`), [{ kind: 'create-database', name: 'd', ...keep }]);
  t.deepEqual(readInfluxQl('SHOW RETENTION POLICIES'), [{ kind: 'show-retention-policies', database: undefined }]);
  t.deepEqual(readInfluxQl('drop database "d"'), [{ kind: 'drop-database', name: 'd' }]);
  const changes = [
    'CREATE RETENTION POLICY one_day_only ON d DURATION 1d REPLICATION 1 DEFAULT',
    'create retention policy "7d" on "d" duration 7d replication 1 shard duration 1h',
    'ALTER RETENTION POLICY x ON d DEFAULT',
    'DROP RETENTION POLICY x ON d',
  ];
  for (const text of changes) t.deepEqual(readInfluxQl(text), [{ kind: 'retention-policy', database: 'd' }], text);
  t.deepEqual(readInfluxQl(' ; /* nothing */ '), []);
});

test('every other statement is unanswered, and named', (t) => {
  const cases = [
    ['SELECT * FROM cpu', 'SELECT * is not answered here'],
    ['DROP MEASUREMENT cpu', 'DROP MEASUREMENT is not answered here'],
    ['DROP DATABASE d e', 'DROP DATABASE takes the name of a database, nothing else'],
    ['CREATE RETENTION POLICY x', 'CREATE RETENTION POLICY takes a name, ON and the name of a database'],
    ['ALTER RETENTION POLICY x ON d DURATION soon', 'DURATION takes a time such as 30d or INF, found soon'],
    ['CREATE DATABASE', 'CREATE DATABASE needs a name'],
    ['CREATE DATABASE 1', 'CREATE DATABASE needs a name'],
    ['CREATE DATABASE d ON e', 'CREATE DATABASE takes a name and WITH, found ON'],
    ...['WITH', 'WITH DURATION', 'WITH SHARD 1h', 'WITH NAME', 'WITH DURATION 1d and'].map(
      (policy) =>
        [
          `CREATE DATABASE d ${policy}`,
          'a policy takes DURATION, REPLICATION, SHARD DURATION and NAME, each with a value',
        ] as const,
    ),
    ['CREATE DATABASE d WITH DURATION soon', 'DURATION takes a time such as 30d or INF, found soon'],
    ['SHOW RETENTION POLICIES FOR d', 'SHOW RETENTION POLICIES takes ON and the name of a database, nothing else'],
  ] as const;
  for (const [text, problem] of cases) t.deepEqual(readInfluxQl(text), [{ problem }], text);
  t.is(readInfluxQl('SHOW DATABASES;'.repeat(40)).length, 1);
});

test('any text is read in a moment, and a quoted name comes back as it was', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        readInfluxQl(text);
        readInfluxQl(`CREATE DATABASE ${text}`);
        const name = text.replaceAll('\n', ' ');
        const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`;
        const [read] = readInfluxQl(`CREATE DATABASE ${quoted}`);
        const expected = name === '' ? { problem: 'CREATE DATABASE needs a name' } : { kind: 'create-database', name };
        return JSON.stringify(read) === JSON.stringify(expected);
      }),
    ),
  );
});
