import test from 'ava';
import fc from 'fast-check';
import type { SuperTablePlan } from '../../../src/load/model/scenario.js';
import { flags } from '../../../src/load/settings/rows.js';
import { insertOf, loadRequest, notesOf, refusalOf } from '../../support/load-request.js';

function tableOf(...argv: string[]): SuperTablePlan {
  const [database] = insertOf(loadRequest(argv)).databases;
  const [table] = database?.superTables ?? [];
  if (table === undefined) throw new Error('There is no super table.');
  return table;
}

function shapes(plan: SuperTablePlan): string {
  const list = [...plan.columns, ...plan.tags].map(({ name, type }) => `${name} ${type.name}(${type.length})`);
  return list.join(' ');
}

test('runs the demo without arguments', (t) => {
  const request = loadRequest([]);
  const scenario = insertOf(request);
  const [database] = scenario.databases;
  const plan = tableOf();
  t.is(database?.name, 'test');
  t.true(database?.drop);
  t.deepEqual(database?.options, ["PRECISION 'ms'"]);
  t.is(scenario.threads, 8);
  t.is(scenario.createTableThreads, 8);
  t.is(scenario.resultFile, './output.txt');
  t.false(scenario.confirm);
  t.deepEqual(
    { ...scenario.connection },
    {
      host: 'localhost',
      port: 6030,
      httpPort: 6041,
      user: 'root',
      password: 'taosdata',
      configDirectory: '/etc/sluice',
    },
  );
  t.is(plan.name, 'meters');
  t.is(plan.childPrefix, 'd');
  t.is(plan.childCount, 10000);
  t.is(plan.childTo, 10000);
  t.is(plan.rows, 10000);
  t.is(plan.rowsPerRequest, 30000);
  t.is(plan.preparedRows, 10000);
  t.is(plan.start, 1500000000000n);
  t.is(plan.step, 1n);
  t.is(plan.mode, 'taosc');
  t.is(plan.failure, 'no');
  t.deepEqual(plan.attempts, { more: 0, intervalMs: 1000 });
  t.is(shapes(plan), 'current FLOAT(4) voltage INT(4) phase FLOAT(4) groupid INT(4) location VARCHAR(16)');
  t.deepEqual(plan.columns[0]?.values, { kind: 'steps', first: 9.8, step: 0.04, count: 10 });
  t.deepEqual(plan.tags[0]?.values, { kind: 'range', min: 1, max: 11 });
  t.is(notesOf(request), '');
});

test('begins at a time that a new database keeps, whatever the year', (t) => {
  const startOf = (date: string) => {
    const plan = insertOf(loadRequest([], {}, {}, Date.parse(date))).databases[0]?.superTables[0];
    return new Date(Number(plan?.start)).toISOString();
  };
  t.is(startOf('2026-11-22'), '2017-07-14T02:40:00.000Z');
  t.is(startOf('2027-05-20'), '2022-01-01T00:00:00.000Z');
  t.is(startOf('2045-12-31'), '2040-01-01T00:00:00.000Z');
});

test('keeps every place of the demo within its tag', (t) => {
  for (const argv of [[], ['-C']]) {
    const values = tableOf(...argv).tags[1]?.values;
    if (values?.kind !== 'choice') throw new Error('The location is not a choice.');
    t.is(values.values.length, 10);
    for (const place of values.values) t.true(Buffer.byteLength(place) <= 16, place);
  }
});

for (const argv of [
  ['-n5', '-t3', '-y'],
  ['-n', '5', '-t', '3', '-y'],
  ['--records=5', '--tables=3', '--answer-yes'],
  ['--records', '5', '--tables', '3'],
  ['-yn5', '-yt3'],
  ['--recor=5', '--tables=3'],
  ['-n', '7', '-n', '5', '-t3'],
  ['-t3', '-yn', '5', '--'],
]) {
  test(`reads ${argv.join(' ')}`, (t) => {
    const plan = tableOf(...argv);
    t.is(plan.rows, 5);
    t.is(plan.childCount, 3);
  });
}

test('reads every long name, by its other spellings too', (t) => {
  t.is(tableOf('--rec-=7').rowsPerRequest, 7);
  t.is(insertOf(loadRequest(['--thread=3'])).threads, 3);
  t.is(insertOf(loadRequest(['--threads=3'])).threads, 3);
  t.is(insertOf(loadRequest(['--thre=3'])).threads, 3, 'two names of one argument are not ambiguous');
  t.is(tableOf('--timestampstep=3').step, 3n);
  t.is(tableOf('--time-step=3').step, 3n);
  t.is(tableOf('--prepared_rand=3').preparedRows, 3);
  t.is(tableOf('--prepare_rand=3').preparedRows, 3);
  const twoLetters = new Set<string>();
  for (const { short } of flags) {
    if (short !== undefined) t.false(twoLetters.has(short), short);
    if (short !== undefined) twoLetters.add(short);
  }
});

for (const [argv, message] of [
  [['-Z'], "invalid option -- 'Z'"],
  [['-Z0q'], "invalid option -- 'Z'"],
  [['-yZ'], "invalid option -- 'Z'"],
  [['--no-such'], "unrecognized option '--no-such'"],
  [['--tabels=7'], "unrecognized option '--tabels' (did you mean --tables?)"],
  [['--='], "unrecognized option '--'"],
  [['--tab=7'], "option '--tab' is ambiguous; possibilities: '--tables' '--table-prefix'"],
  [['-n'], "option requires an argument -- 'n'"],
  [['--records'], "option '--records' requires an argument"],
  [['--answer-yes=1'], "option '--answer-yes' doesn't allow an argument"],
  [['stray'], 'Too many arguments'],
  [['-'], 'Too many arguments'],
  [['-y', '--', 'stray'], 'Too many arguments'],
] as const) {
  test(`refuses ${argv.join(' ')} as usage`, (t) => {
    const request = loadRequest([...argv]);
    t.is(refusalOf(request), `lt: ${message}\nTry 'lt --help' or 'lt --usage' for more information.`);
    t.is(request.outcome === 'refused' && request.exitCode, 64);
  });
}

for (const argv of [['-V'], ['--version'], ['-?'], ['--help'], ['--usage'], ['-n', '5', '-V'], ['-V', '--no-such']]) {
  test(`prints something for ${argv.join(' ')}`, (t) => {
    const request = loadRequest(argv);
    t.is(request.outcome, 'print');
  });
}

test('acts on --help when it is met', (t) => {
  t.is(loadRequest(['-n', 'abc', '--help', '--no-such']).outcome, 'print');
  t.is(loadRequest(['--no-such', '--help']).outcome, 'refused');
});

test('shows every argument in the help text', (t) => {
  const request = loadRequest(['-?']);
  if (request.outcome !== 'print') throw new Error(request.outcome);
  for (const { short, long } of flags) {
    t.true(request.text.includes(`--${long}`), long);
    if (short !== undefined) t.true(request.text.includes(`-${short}, --${long}`), long);
  }
  t.notRegex(request.text, /taosdata/);
  for (const line of request.text.split('\n')) t.true(line.length <= 115, line);
});

test('takes whatever follows as the value of an argument that needs one', (t) => {
  t.is(insertOf(loadRequest(['-p', '-y'])).connection.password, '-y');
  t.regex(refusalOf(loadRequest(['-n', '-5'])), /-n, --records: "-5" is out of range; allowed: 1 or more\./);
});

test('ends before anything is touched when arguments cannot be read, and tells them all', (t) => {
  const request = loadRequest(['-n', 'abc', '-t', '2', '-O', '80', '-I', 'websocket', '-k', 'often']);
  t.is(
    refusalOf(request),
    [
      'lt: -n, --records requires a number argument, not "abc".',
      'lt: -O, --disorder: "80" is out of range; allowed: 0 to 50.',
      'lt: -k, --keep-trying requires a number argument, not "often".',
      'lt: -I, --interface: "websocket" is not supported; allowed: taosc, stmt, rest, sml, sml-rest.',
      "Try 'lt --help' or 'lt --usage' for more information.",
    ].join('\n'),
  );
  t.is(request.outcome === 'refused' && request.exitCode, 64);
});

test('complains of a text that is no number, and runs, when it is lenient', (t) => {
  const request = loadRequest(['--lenient', '-n', 'abc', '-t', '2', '-F', '5']);
  t.is(insertOf(request).databases[0]?.superTables[0]?.rows, 10000);
  t.deepEqual(
    request.notes.map(({ level, text }) => [level, text]),
    [['error', '-n, --records requires a number argument, not "abc"; 10000 is used.']],
  );
});

test('takes the leading digits of a text that is no number, when it is lenient', (t) => {
  const request = loadRequest(['-n', '12x', '--lenient']);
  t.is(insertOf(request).databases[0]?.superTables[0]?.rows, 12);
  t.is(request.notes.length, 1);
});

test('outlives a bad number in every argument but the port, when it is lenient', (t) => {
  const bad = ['-F', '-I', '-T', '-i', '-S', '-B', '-r', '-t', '-n', '-l', '-w', '-R', '-O', '-a', '-v', '-L', '-s'];
  const numbers = bad.flatMap((name) => [name, 'abc']);
  const argv = ['--lenient', ...numbers, '-w', '16375', '-n', '2', '-t', '2', '-r', '1', '-y'];
  const plan = tableOf(...argv);
  t.is(plan.rows, 2);
  t.is(plan.childCount, 2);
  t.is(plan.rowsPerRequest, 1);
  t.is(plan.mode, 'taosc');
  t.is(plan.disorderRange, 1000);
  t.is(insertOf(loadRequest(argv)).threads, 8);
  t.regex(refusalOf(loadRequest(['--lenient', '-P', '6O41'])), /-P, --port requires a number argument, not "6O41"/);
  t.regex(refusalOf(loadRequest(['--lenient', '-P', '70000'])), /-P, --port: "70000" is out of range/);
});

test('takes yes and no for tries without end and none', (t) => {
  t.is(tableOf('-k', 'no').attempts.more, 0);
  t.is(tableOf('-k', 'yes').attempts.more, Number.POSITIVE_INFINITY);
});

for (const [argv, value, of] of [
  [['-r', '65536', '-n', '99999'], 65536, 'rowsPerRequest'],
  [['-r', '2097153', '-n', '99999'], 30000, 'rowsPerRequest'],
  [['-O', '0'], 0, 'disorderRatio'],
  [['-O', '50'], 50, 'disorderRatio'],
  [['-O', '80'], 50, 'disorderRatio'],
  [['-R', '0'], 0, 'disorderRange'],
  [['-F', '0'], 10000, 'preparedRows'],
  [['-t', '0'], 10000, 'childCount'],
] as const) {
  test(`makes ${value} of ${argv.join(' ')}`, (t) => {
    t.is(tableOf('--lenient', ...argv)[of], value);
  });
}

test('takes -B 0, -i 0, -O 0 and -k -1 without a word', (t) => {
  t.is(notesOf(loadRequest(['-B', '0', '-i', '0', '-O', '0', '-k', '-1'])), '');
  t.is(tableOf('-k', '-1').attempts.more, Number.POSITIVE_INFINITY);
  t.deepEqual(tableOf('-k', '3', '-z', '300').attempts, { more: 3, intervalMs: 300 });
});

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
  [['-b', 'int,nosuch'], /"nosuch" is no data type\.\n/],
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
  [['-h', 'http://db'], /The host "http:\/\/db" is neither/],
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

test('reads the rest of the rows', (t) => {
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

test('makes something of any command line', (t) => {
  const names = flags.flatMap(({ short, long }) => [`--${long}`, `-${short ?? 'y'}`]);
  const word = fc.oneof(fc.constantFrom(...names, '--', '-', '-1', '0', 'int', 'a.json'), fc.string());
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
      t.true(['run', 'print', 'refused'].includes(loadRequest(argv, { 'a.json': '{}' }).outcome));
    }),
  );
});
