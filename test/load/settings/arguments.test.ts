import test from 'ava';
import fc from 'fast-check';
import { flags } from '../../../src/load/settings/keys/rows.js';
import { insertOf, loadRequest, notesOf, refusalOf, shapes, tableOf } from '../../support/load/request.js';

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
  [['insert.json'], 'Too many arguments (did you mean -f insert.json?)'],
  [['-t', '5', '-help'], "-help is the host 'elp' (did you mean --help?)"],
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
  [['-O', '80'], 0, 'disorderRatio'],
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

test('makes something of any command line', (t) => {
  const names = flags.flatMap(({ short, long }) => [`--${long}`, `-${short ?? 'y'}`]);
  const word = fc.oneof(fc.constantFrom(...names, '--', '-', '-1', '0', 'int', 'a.json'), fc.string());
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
      t.true(['run', 'print', 'refused'].includes(loadRequest(argv, { 'a.json': '{}' }).outcome));
    }),
  );
});
