import test from 'ava';
import { insertOf, loadRequest, notesOf, refusalOf, shapes, tableOf } from '../../support/load/request.js';

for (const [text, mode, format] of [
  ['taosc', 'taosc', 'line'],
  ['STMT', 'stmt', 'line'],
  ['stmt2', 'stmt', 'line'],
  ['rest', 'rest', 'line'],
  ['sml', 'sml', 'line'],
  ['sml-line', 'sml', 'line'],
  ['sml-telnet', 'sml', 'telnet'],
  ['sml-json', 'sml', 'json'],
  ['sml-taosjson', 'sml', 'taosjson'],
  ['sml-rest', 'sml-rest', 'line'],
  ['sml-rest-line', 'sml-rest', 'line'],
  ['sml-rest-telnet', 'sml-rest', 'telnet'],
  ['sml-rest-json', 'sml-rest', 'json'],
  ['sml-rest-taosjson', 'sml-rest', 'taosjson'],
] as const) {
  test(`knows the interface ${text}`, (t) => {
    const request = loadRequest(['-I', text]);
    const plan = insertOf(request).databases[0]?.superTables[0];
    t.is(plan?.mode, mode);
    t.is(plan?.format, format);
    t.is(notesOf(request), '');
  });
}

for (const text of ['nosuch', 'sml-', 'sml-xml', 'toString', 'constructor', '']) {
  test(`falls back to taosc for the interface ${JSON.stringify(text)} when it is lenient`, (t) => {
    const request = loadRequest([`--interface=${text}`, '--lenient']);
    t.is(insertOf(request).databases[0]?.superTables[0]?.mode, 'taosc');
    t.regex(notesOf(request), /--interface/);
  });
}

test('finds the HTTP port of the REST modes', (t) => {
  const ports = (...argv: string[]) => {
    const { port, httpPort } = insertOf(loadRequest(argv)).connection;
    return [port, httpPort];
  };
  t.deepEqual(ports('-I', 'rest'), [6030, 6041]);
  t.deepEqual(ports('-I', 'rest', '-P', '6030'), [6030, 6041]);
  t.deepEqual(ports('-I', 'sml-rest', '-P', '7777'), [7777, 7777]);
  t.deepEqual(ports('-P', '7777'), [7777, 6041]);
  t.true(insertOf(loadRequest(['-I', 'sml-rest'])).definitionsOverHttp);
});

test('makes columns and tags of type lists', (t) => {
  t.is(
    shapes(tableOf('-b', 'tinyint, binary(19),BOOL,nchar', '-l', '6', '-w', '33', '-A', 'binary,nchar(21)')),
    'c0 TINYINT(1) c1 VARCHAR(19) c2 BOOL(1) c3 NCHAR(33) c4 INT(4) c5 INT(4) t0 VARCHAR(33) t1 NCHAR(21)',
  );
  t.is(shapes(tableOf('-b', 'int,float', '-l', '1')), 'c0 INT(4) c1 FLOAT(4) t0 INT(4) t1 VARCHAR(16)');
  t.is(shapes(tableOf('-l', '3')), 'c0 FLOAT(4) c1 INT(4) c2 FLOAT(4) t0 INT(4) t1 VARCHAR(16)');
  t.is(
    shapes(tableOf('-b', 'uint,int unsigned,INT  UNSIGNED', '-A', 'json')),
    'c0 INT UNSIGNED(4) c1 INT UNSIGNED(4) c2 INT UNSIGNED(4) t0 JSON(4095)',
  );
  t.is(
    shapes(tableOf('-b', 'decimal(12,3), int,DECIMAL')),
    'c0 DECIMAL(12) c1 INT(4) c2 DECIMAL(10) t0 INT(4) t1 VARCHAR(16)',
  );
  t.is(shapes(tableOf('-A', 'int')), 'c0 FLOAT(4) c1 INT(4) c2 FLOAT(4) t0 INT(4)');
});

test('gives each type its usual range', (t) => {
  const ranges = tableOf('-b', 'tinyint,utinyint,smallint,usmallint,int,bigint,uint,ubigint,float,double,bool').columns;
  t.deepEqual(
    ranges.map(({ values }) => (values.kind === 'range' ? [values.min, values.max] : values.kind)),
    [
      [-127, 128],
      [0, 254],
      [-32767, 32767],
      [0, 65534],
      [-1073741823, 1073741823],
      [-1073741823, 1073741823],
      [0, 2147483647],
      [0, 2147483647],
      [-1073741823, 1073741823],
      [-1073741823, 1073741823],
      [0, 2],
    ],
  );
  const plan = tableOf('-b', 'timestamp,nchar(5)', '-A', 'timestamp');
  t.deepEqual(
    plan.columns.map(({ values }) => values),
    [{ kind: 'now' }, { kind: 'text', length: 5 }],
  );
  t.deepEqual(plan.tags[0]?.values, { kind: 'range', min: 0, max: 2147483647 });
  t.deepEqual(tableOf('-A', 'json(7)').tags[0]?.values, { kind: 'json', pairs: 1, length: 7 });
});

for (const [argv, named] of [
  [['-b', 'int,nosuch'], /"nosuch" is no data type; allowed: .*DOUBLE.*\.\n/i],
  [['-b', 'int,flaot'], /"flaot" is no data type \(did you mean float\?\)\.\n/],
  [['-A', 'binary(0)'], /binary\(0\)/],
  [['-b', 'binary(01)'], /binary\(01\)/],
  [['-b', 'int(4)'], /int\(4\)/],
  [['-b', 'int,'], /is no data type/],
  [['-b', 'binary(70000)'], /70000/],
  [['-l', '4096'], /more than 4095 data columns/],
  [['-l', '9007199254740991'], /more than 4095 data columns/],
  [['-d', 'a`b'], /holds a back quote/],
  [['-d', 'a.b'], /The name "a\.b" of a database holds a dot/],
  [['-m', 'a.'], /The name "a\.10000" of a table holds a dot/],
  [['-h', ''], /The host "" is neither a name nor an address/],
  [
    ['-h', 'http://db'],
    /The host "http:\/\/db" is neither a name nor an address: give the name alone, and the port by itself\./,
  ],
  [['-h', '[::1]'], /The host "\[::1\]" is neither/],
  [['-I', 'rest', '-h', 'a b'], /The host "a b" is neither/],
  [['-A', ''], /-A, --tag-type: "" is no data type/],
  [['-m', 'a\n'], /holds a back quote or a control character/],
  [['-s', '31556889600000', '-n', '2'], /last row would be at 31556889600001, after 31556889600000/],
  [['-F', '9007199254740991', '-B', '1'], /prepared rows would take \d+ MB, more than 2048 MB/],
  [['-b', 'nchar', '-w', '16380'], /The column c0 is 16380 long; NCHAR takes 1 to 16379 there/],
  [['-A', 'binary', '-w', '16383'], /The tag t0 is 16383 long; VARCHAR takes 1 to 16382 there/],
  [['-b', 'binary(40000),binary(40000)'], /Row length exceeds max length 65531/],
  [['-b', 'json'], /JSON/],
  [['-b', 'decimal(39)'], /decimal\(39\)/],
  [['-b', 'decimal(3,4)'], /decimal\(3,4\)/],
  [['-A', 'decimal'], /only columns can be DECIMAL/],
  [['-A', 'json,int'], /JSON tag must be the only tag/],
  [['-N', '-I', 'sml'], /sml/],
  [['-N', '-I', 'sml-rest-telnet'], /sml-rest/],
  [['-A', 'json', '-I', 'sml'], /JSON tag/],
  [['-d', ''], /database is empty/],
  [['-d', 'x'.repeat(65)], /longer than 64 bytes/],
  [['-m', 'x'.repeat(192)], /longer than 192 bytes/],
] as const) {
  test(`refuses ${argv.join(' ').slice(0, 40)} before anything is dropped`, (t) => {
    const request = loadRequest([...argv]);
    t.regex(refusalOf(request), named);
    t.is(request.outcome === 'refused' && request.exitCode, 64);
  });
}

test('makes normal tables without tags', (t) => {
  const plan = tableOf('-N', '-t', '7');
  t.true(plan.normalTables);
  t.is(shapes(plan), 'c0 FLOAT(4) c1 INT(4) c2 FLOAT(4)');
});

test('writes only the first columns where the mode can', (t) => {
  t.is(tableOf('-l', '3', '-L', '1').partialColumns, 1);
  t.is(tableOf('-l', '3', '-L', '3').partialColumns, 0);
  t.regex(
    notesOf(loadRequest(['-l', '3', '-L', '5'])),
    /partial-col-num 5 is above the 3 data columns; all are written/,
  );
  const request = loadRequest(['-l', '3', '-L', '1', '-I', 'stmt']);
  t.is(insertOf(request).databases[0]?.superTables[0]?.partialColumns, 0);
  t.regex(notesOf(request), /partial-col-num has no effect/);
});

for (const [argv, rowsPerRequest, interlaceRows, insertIntervalMs] of [
  [['-B', '4', '-n', '10', '-r', '8'], 8, 4, 0],
  [['-B', '50', '-n', '10'], 30000, 50, 0],
  [['-B', '2', '-n', '3', '-i', '1'], 30000, 2, 1],
  [['-n', '10', '-r', '4', '-i', '5'], 4, 0, 0],
] as const) {
  test(`reads rounds and requests of ${argv.join(' ')}`, (t) => {
    const plan = tableOf(...argv);
    t.is(plan.rowsPerRequest, rowsPerRequest);
    t.is(plan.interlaceRows, interlaceRows);
    t.is(plan.insertIntervalMs, insertIntervalMs);
  });
}

test('reads what is made of the database', (t) => {
  const [database] = insertOf(loadRequest(['-d', 'shop', '-E', '-v', '3', '-a', '2'])).databases;
  t.is(database?.name, 'shop');
  t.true(database?.escapeNames);
  t.deepEqual(database?.options, ['VGROUPS 3', 'REPLICA 2', "PRECISION 'ms'"]);
  t.regex(notesOf(loadRequest(['-a', '2'])), /warn: -a, --replica is recorded, but the data has one copy/);
  t.is(notesOf(loadRequest(['-a', '1'])), '');
  const supplement = insertOf(loadRequest(['-U']));
  t.true(supplement.supplement);
  t.false(supplement.databases[0]?.drop);
  t.false(insertOf(loadRequest(['-Q'])).supplement);
  t.false(insertOf(loadRequest(['-Q'])).databases[0]?.drop);
});

test('flags set the start, step, disorder and values of rows', (t) => {
  const plan = tableOf('-s', '1600000000000', '-S', '17', '-F', '1', '-M', '-C', '-O', '10', '-R', '100000');
  t.is(plan.start, 1600000000000n);
  t.is(plan.step, 17n);
  t.is(plan.preparedRows, 1);
  t.true(plan.randomPerTable);
  t.true(plan.chinese);
  t.is(plan.disorderRatio, 10);
  t.is(plan.disorderRange, 100000);
  t.deepEqual(plan.columns[1]?.values, { kind: 'range', min: -1073741823, max: 1073741823 });
});

test('reads what is around the rows', (t) => {
  const scenario = insertOf(
    loadRequest([
      '-h',
      'db',
      '-u',
      'eva',
      '-pword',
      '-o',
      'out',
      '--json',
      'a.json',
      '--html=b.html',
      '-xg',
      '--seed',
      '7',
    ]),
  );
  t.is(scenario.connection.host, 'db');
  t.is(scenario.connection.user, 'eva');
  t.is(scenario.connection.password, 'word');
  t.is(scenario.resultFile, 'out');
  t.is(scenario.jsonReport, 'a.json');
  t.is(scenario.htmlReport, 'b.html');
  t.true(scenario.aggregate);
  t.true(scenario.debug);
  t.is(scenario.seed, 7);
  t.is(insertOf(loadRequest(['--seed', 'x', '--lenient'])).seed, undefined);
  t.is(tableOf('-s', 'soon', '--lenient').start, 1500000000000n);
});
