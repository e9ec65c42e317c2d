import test from 'ava';
import fc from 'fast-check';
import { settings } from '../../../src/load/settings/keys/rows.js';
import { blocksOf } from '../../support/documents/documents.js';
import { file, type Keys, plan, request, scenario } from '../../support/load/insert-file.js';
import { type Files, insertOf, loadRequest, notesOf, nowMs, refusalOf } from '../../support/load/request.js';

test('reads a small file with every default', (t) => {
  const settings = scenario();
  t.is(settings.threads, 8);
  t.is(settings.createTableThreads, 8);
  t.is(settings.connectionPoolSize, 8);
  t.is(settings.resultFile, './output.txt');
  t.false(settings.confirm);
  t.false(settings.definitionsOverHttp);
  const [database] = settings.databases;
  t.true(database?.drop);
  t.is(database?.precision, 'ms');
  t.deepEqual(database?.options, ["PRECISION 'ms'"]);
  t.deepEqual(plan(), {
    name: 'till',
    normalTables: false,
    escapeNames: false,
    columns: [
      {
        name: 'c0',
        type: { name: 'INT', length: 4 },
        values: { kind: 'range', min: -1073741823, max: 1073741823 },
        sma: false,
      },
    ],
    tags: [
      {
        name: 't0',
        type: { name: 'INT', length: 4 },
        values: { kind: 'range', min: -1073741823, max: 1073741823 },
        sma: false,
      },
    ],
    options: [],
    childPrefix: 't_',
    childCount: 10,
    childFrom: 0,
    childTo: 10,
    childExists: false,
    childOffset: 0,
    childLimit: 10,
    ttl: 0,
    autoCreateTable: false,
    createBatches: [10],
    createPausesMs: [],
    tagsFile: undefined,
    mode: 'taosc',
    format: 'line',
    tcpPort: undefined,
    rows: 0,
    rowsPerRequest: 30000,
    interlaceRows: 0,
    insertIntervalMs: 0,
    nonStop: false,
    partialColumns: 0,
    maxSqlBytes: 1048576,
    start: BigInt(nowMs),
    step: 1n,
    disorderRatio: 0,
    disorderRange: 1000,
    preparedRows: 10000,
    randomPerTable: false,
    chinese: false,
    sample: undefined,
    failure: 'no',
    attempts: { more: 0, intervalMs: 1000 },
    tsmas: [],
  });
  t.is(notesOf(request()), '');
});

test('takes insert for the type of a file that names none', (t) => {
  t.is(insertOf(loadRequest(['-f', 'a.json'], file({}, {}, { filetype: undefined }))).kind, 'insert');
  t.is(scenario({}, {}, { filetype: 'INSERT' }).kind, 'insert');
});

for (const [content, message] of [
  [undefined, /a\.json cannot be read: no such file/],
  ['', /a\.json is empty/],
  ['a,b\n1,2\n', /a\.json is not JSON: line 1/],
  ['{"a":1,}', /not JSON: line 1: a key in double quotes/],
  ['{"a":1 // no\n}', /not JSON: line 1/],
  ['[]', /must hold one JSON object/],
  ['{\n"filetype":"nosuch"}', /line 2: filetype: is not supported/],
  ['{"filetype":1}', /line 1: filetype: is not supported/],
  ['{}', /databases: is missing/],
  ['{"databases":{}}', /databases: expected an array, found an object/],
  ['{"databases":"shop"}', /databases: expected an array, found a text/],
  ['{"databases":[]}', /databases: is empty/],
  ['{"databases":[1]}', /databases\[0\]: expected an object, found a number/],
  ['{"databases":[{}]}', /databases\[0\]\.dbinfo: is missing/],
  ['{"databases":[{"dbinfo":1}]}', /databases\[0\]\.dbinfo: expected an object/],
  ['{"databases":[{"dbinfo":{}}]}', /dbinfo\.name: is missing/],
] as const) {
  test(`refuses a file of ${JSON.stringify(content)}`, (t) => {
    const refused = loadRequest(['-f', 'a.json'], content === undefined ? {} : { 'a.json': content });
    t.regex(refusalOf(refused), message);
    t.is(refused.outcome === 'refused' && refused.exitCode, 1);
  });
}

test('makes a database without super tables', (t) => {
  for (const superTables of [{}, { super_tables: 'none' }]) {
    const answer = loadRequest(['-f', 'a.json'], {
      'a.json': { databases: [{ dbinfo: { name: 'x' }, ...superTables }] },
    });
    t.deepEqual(insertOf(answer).databases[0]?.superTables, []);
    t.regex(notesOf(answer), /info: .*without super tables/);
  }
});

test('mistakes of a file are shown as on the page of the load tool', (t) => {
  const text = `{
    "filetype": "insert",
    "thread_cuont": 4,
    "databases": [{
      "dbinfo": {"name": "plant"},
      "super_tables": [{
        "name": "ovens", "childtable_prefix": "o",
        "columns": [{"type": "int"}, {"type": "flaot"}]
      }]
    }]
  }`;
  const refused = loadRequest(['-f', 'load.json'], { 'load.json': text });
  const shown = blocksOf('docs/load-tool.md').find((block) => block.text.includes('flaot'))?.text ?? '';
  t.is(`sluice-bench: ${notesOf(refused)}\n${refusalOf(refused)}`, shown);
});

test('refuses a database whose super tables are misspelt, which would be dropped and made empty', (t) => {
  const text = '{"databases": [{"dbinfo": {"name": "x"}, "super_table": []}]}';
  const refused = loadRequest(['-f', 'a.json'], { 'a.json': text });
  t.regex(refusalOf(refused), /line 1: databases\[0\]\.super_table: would make the database anew without super tables/);
});

test('tells all mistakes at once, each with its line and path', (t) => {
  const text = `{
  "thread_count": -1,
  "databases": [{
    "dbinfo": {"name": "shop", "precision": "min"},
    "super_tables": [{
      "name": "till", "childtable_prefix": "t",
      "columns": [{"type": "int"},
        {"type": "nosuch"}]
    }]
  }]
}`;
  t.deepEqual(refusalOf(loadRequest(['-f', 'a.json'], { 'a.json': text })).split('\n'), [
    'a.json: line 2: thread_count: -1 is out of range; allowed: 1 to 65536.',
    'a.json: line 4: databases[0].dbinfo.precision: "min" is not supported; allowed: ms, us, ns.',
    'a.json: line 8: databases[0].super_tables[0].columns[1].type: unknown data type "nosuch".',
  ]);
});

test('takes null for a key that is not there, also where the key is required', (t) => {
  const missing = (content: Keys) => refusalOf(loadRequest(['-f', 'a.json'], { 'a.json': content }));
  t.is(missing({ databases: null }), 'a.json: line 1: databases: is missing; needed: an array of databases.');
  t.regex(missing({ databases: [{ dbinfo: null }] }), /databases\[0\]\.dbinfo: is missing/);
  t.is(missing({ databases: {} }).split('\n').length, 1);
});

test('warns of times that a format without fractions of milliseconds would lose', (t) => {
  const json = { insert_mode: 'sml', line_protocol: 'json', insert_rows: 2 };
  const lost = /json holds milliseconds: of rows that are less than one apart only the last is kept/;
  t.regex(notesOf(request(json, { precision: 'us' })), lost);
  t.notRegex(notesOf(request(json)), lost);
  t.notRegex(notesOf(request({ ...json, timestamp_step: 1000 }, { precision: 'us' })), lost);
  t.notRegex(notesOf(request({ ...json, line_protocol: 'line' }, { precision: 'us' })), lost);
});

test('warns of unknown keys with the nearest known one', (t) => {
  const notes = notesOf(request({ insert_row: 3, zzz: 1 }, {}, { thread_cuont: 2 }));
  t.regex(notes, /warn: a\.json: line 1: thread_cuont: is unknown and ignored \(did you mean thread_count\?\)\./);
  t.regex(notes, /super_tables\[0\]\.insert_row: is unknown and ignored \(did you mean insert_rows\?\)\./);
  t.regex(notes, /super_tables\[0\]\.zzz: is unknown and ignored\./);
});

test('finds keys whatever their case, the first of equal ones', (t) => {
  t.is(plan({ INSERT_ROWS: 5 }).rows, 5);
  const text = '{"Databases":[{"DBINFO":{"Name":"a","name":"b"}}]}';
  const answer = loadRequest(['-f', 'a.json'], { 'a.json': text });
  t.is(insertOf(answer).databases[0]?.name, 'a');
  t.regex(notesOf(answer), /warn: .*dbinfo\.name: is ignored: name is given twice/);
});

test('takes the main name of a key before its other names', (t) => {
  t.is(scenario({}, {}, { prepare_rand: 5, prepared_rand: 6 }).databases[0]?.superTables[0]?.preparedRows, 6);
  t.is(scenario({}, {}, { prepared_rand: 6, prepare_rand: 5 }).databases[0]?.superTables[0]?.preparedRows, 6);
  t.is(plan({}, {}, { prepare_rand: 5 }).preparedRows, 5);
  t.is(scenario({}, {}, { thread_count_create_tbl: 5 }).createTableThreads, 5);
  t.is(plan({ child_table_count: 4, child_table_prefix: 'x' }).childCount, 4);
});

test('takes numbers in texts and booleans where their meaning is plain', (t) => {
  const answer = request({ insert_rows: '10', escape_character: true }, { drop: false }, { port: '7030' });
  const insert = insertOf(answer);
  t.is(insert.connection.port, 7030);
  t.is(insert.databases[0]?.superTables[0]?.rows, 10);
  t.true(insert.databases[0]?.superTables[0]?.escapeNames);
  t.false(insert.databases[0]?.drop);
  t.is(answer.notes.length, 4);
  t.is(plan({ insert_rows: 3.7 }).rows, 3);
  t.is(scenario({}, {}, { password: 12345 }).connection.password, '12345');
});

for (const [superTable, dbinfo, top, message] of [
  [{ insert_rows: [] }, {}, {}, /insert_rows: expected a number, found an array/],
  [{ insert_rows: 'ten' }, {}, {}, /insert_rows: expected a number, found a text/],
  [{ insert_rows: -1 }, {}, {}, /insert_rows: -1 is out of range; allowed: 0 or more/],
  [{ insert_rows: 1e300 }, {}, {}, /insert_rows: the number is too large/],
  [{}, { drop: 'maybe' }, {}, /dbinfo\.drop: "maybe" is neither "yes" nor "no"/],
  [{}, { drop: [] }, {}, /dbinfo\.drop: expected "yes" or "no", found an array/],
  [{}, { keep: true }, {}, /invalid value format for keep/],
  [{}, { name: 'x'.repeat(65) }, {}, /longer than 64 bytes/],
  [{}, {}, { password: [] }, /password: expected a text, found an array/],
  [{}, {}, { port: 70000 }, /port: 70000 is out of range; allowed: 1 to 65535/],
  [{}, {}, { interlace_rows: -1 }, /interlace_rows/],
  [{}, {}, { continue_if_fail: 'perhaps' }, /continue_if_fail: "perhaps" is not supported; allowed: no, yes, smart/],
  [{}, {}, { keep_trying: 'often' }, /keep_trying: expected a number/],
  [{}, {}, { cfgdir: '$NOSUCH/x' }, /NOSUCH is not set/],
  [{ name: undefined }, {}, {}, /super_tables\[0\]\.name: is missing/],
  [{ name: 'x'.repeat(193) }, {}, {}, /longer than 192 bytes/],
  [{ childtable_prefix: undefined }, {}, {}, /childtable_prefix: is missing/],
  [{ columns: undefined }, {}, {}, /columns: is missing/],
  [{ columns: {} }, {}, {}, /columns: expected an array/],
  [{ columns: [] }, {}, {}, /columns: is empty/],
  [{ columns: ['int'] }, {}, {}, /columns\[0\]: expected an object/],
  [{ columns: [{}] }, {}, {}, /columns\[0\]\.type: is missing/],
  [{ columns: [{ type: 4 }] }, {}, {}, /columns\[0\]\.type/],
  [{ columns: [{ type: 'json' }] }, {}, {}, /only tags can be JSON/],
  [{ columns: [{ type: 'int', count: 4096 }] }, {}, {}, /columns: there are more than 4095/],
  [{ tags: [{ type: 'int', count: 129 }] }, {}, {}, /tags: there are more than 128/],
  [{ tags: [{ type: 'json' }, { type: 'int' }] }, {}, {}, /JSON tag must be the only tag/],
  [
    {
      columns: [
        { type: 'int', name: 'a' },
        { type: 'int', name: 'A' },
      ],
    },
    {},
    {},
    /"A" is given to two/,
  ],
  [{ columns: [{ type: 'int', name: 'ts' }] }, {}, {}, /"ts" is given to two/],
  [{ columns: [{ type: 'int', name: '' }] }, {}, {}, /name: is empty/],
  [{ columns: [{ type: 'int', name: 'x'.repeat(193) }] }, {}, {}, /longer than 192 bytes/],
  [{ columns: [{ type: 'binary', len: 0 }] }, {}, {}, /len: 0 is out of range/],
  [{ columns: [{ type: 'nchar', len: 16380 }] }, {}, {}, /allowed: 1 to 16379/],
  [{ tags: [{ type: 'json', count: 100, len: 64 }] }, {}, {}, /100 members of 64 characters are more than the 4095/],
  [{ start_timestamp: '2262-04-12', insert_rows: 5 }, { precision: 'ns' }, {}, /failed to parse time/],
  [{ timestamp_step: '9223372036854775807', insert_rows: 2 }, {}, {}, /last row would be at \d+, after 31556889600000/],
  [{ tags: [{ type: 'nchar', len: 4096 }] }, {}, {}, /tags\[0\]\.len: 4096 is out of range; allowed: 1 to 4095/],
  [{ columns: [{ type: 'nchar', len: 9000, count: 2 }] }, {}, {}, /Row length exceeds max length 65531/],
  [{ tags: [{ type: 'binary', len: 9000, count: 2 }] }, {}, {}, /Tags length exceeds max length 16384/],
  [{ columns: [{ type: 'int', min: 9, max: 3 }] }, {}, {}, /min: 9 is above max, which is 3/],
  [{ columns: [{ type: 'tinyint', max: 1000 }] }, {}, {}, /max: 1000 is out of the range of TINYINT/],
  [{ columns: [{ type: 'int', min: [] }] }, {}, {}, /min: expected a number/],
  [{ columns: [{ type: 'binary', values: [1] }] }, {}, {}, /values: holds a number; only texts/],
  [{ columns: [{ type: 'binary', values: [] }] }, {}, {}, /values: is empty/],
  [{ columns: [{ type: 'int', fun: '3*tan(x)' }] }, {}, {}, /columns\[0\]\.fun: "3\*tan\(x\)" is not of the form/],
  [{ insert_mode: 'nosuch' }, {}, {}, /insert_mode: "nosuch" is not supported/],
  [{ insert_mode: 'sml', line_protocol: 'xml' }, {}, {}, /line_protocol: "xml" is not supported/],
  [{ insert_mode: 'sml', tags: [] }, {}, {}, /needs tags/],
  [{ tcp_transfer: 'udp' }, {}, {}, /tcp_transfer: is not supported/],
  [{ data_source: 'sample' }, {}, {}, /sample_file: is missing/],
  [{ data_source: 'other' }, {}, {}, /data_source: "other" is not supported/],
  [{ sample_format: 'xml' }, {}, {}, /sample_format: "xml" is not supported/],
  [{ non_stop_mode: 'yes' }, {}, {}, /non_stop_mode: needs insert_rows/],
  [{ start_timestamp: 'yesterday' }, {}, {}, /start_timestamp: failed to parse time "yesterday"/],
  [{ start_timestamp: true }, {}, {}, /start_timestamp: expected a text or a number, found true/],
  [{ timestamp_step: 'x' }, {}, {}, /timestamp_step: expected a number/],
  [{ timestamp_step: 0 }, {}, {}, /timestamp_step: 0 is out of range/],
  [{ disorder_ratio: 51 }, {}, {}, /disorder_ratio: 51 is out of range; allowed: 0 to 50/],
  [{ disorder_ratio: -1 }, {}, {}, /disorder_ratio: -1 is out of range/],
  [{ disorder_range: -1 }, {}, {}, /disorder_range: -1 is out of range/],
  [{ childtable_from: 9, childtable_to: 4 }, {}, {}, /childtable_to 4 is below childtable_from 9/],
  [{ childtable_from: 4, childtable_to: 13 }, {}, {}, /childtable_to 13 is above childtable_count 10/],
  [{ childtable_from: 12 }, {}, {}, /childtable_to 10 is below childtable_from 12/],
  [{ childtable_from: 10 }, {}, {}, /childtable_from 10 must be below childtable_count 10/],
  [{}, {}, { childtable_to: 13 }, /childtable_to 13 is above/],
  [{ child_table_exists: 'yes', childtable_limit: 5, childtable_offset: 6 }, { drop: 'no' }, {}, /reach 11, above/],
  [{ batch_create_tbl_numbers: '1,x' }, {}, {}, /batch_create_tbl_numbers: expected whole numbers from 1 on/],
  [{ tsmas: {} }, {}, {}, /tsmas: expected an array/],
  [{ tsmas: [{ name: 'a' }] }, {}, {}, /tsmas\[0\]\.function: is missing/],
  [{}, {}, { streams: [{ stream_name: 'a', drop: 'yes' }] }, /streams\[0\]\.stream_sql: is missing/],
  [{}, {}, { streams: [{ stream_name: 'a', stream_stb: 'b', stream_sql: 'c', drop: 'so' }] }, /streams\[0\]\.drop/],
] as const) {
  test(`refuses ${JSON.stringify([superTable, dbinfo, top]).slice(0, 90)} with ${message.source}`, (t) => {
    t.regex(refusalOf(request(superTable, dbinfo, top)), message);
  });
}

test('never shows a password of the wrong type', (t) => {
  t.notRegex(refusalOf(request({}, {}, { password: ['verysecret'] })), /verysecret/);
});

test('lets only the server, reports, -y and -g count beside a file', (t) => {
  const files = file({}, {}, { confirm_parameter_prompt: 'yes' });
  const alone = insertOf(loadRequest(['-f', 'a.json'], files));
  t.true(alone.confirm);
  const beside = loadRequest(['-f', 'a.json', '-yg', '-n', 'abc', '-h', 'other', '--json=r.json'], files);
  const settings = insertOf(beside);
  t.false(settings.confirm);
  t.true(settings.debug);
  t.is(settings.jsonReport, 'r.json');
  t.is(settings.connection.host, 'other');
  t.is(notesOf(beside), 'warn: With --file these arguments have no effect: --records.');
  t.is(insertOf(loadRequest(['-f', 'a.json'], file({}, {}, { result_json_file: 'x' }))).jsonReport, 'x');
});

test('lets arguments of the server count before the keys of a file', (t) => {
  const files = file({}, {}, { host: 'db', port: 7030, user: 'eva', password: 'of-file' });
  const server = ['-h', 'other', '-P', '7041', '-p', 'of-argument'];
  t.like(insertOf(loadRequest(['-f', 'a.json', ...server], files)).connection, {
    host: 'other',
    port: 7041,
    user: 'eva',
    password: 'of-argument',
  });
  t.regex(refusalOf(loadRequest(['-f', 'a.json', '-P', '70000'], files)), /--port: "70000" is out of range/);
});

test('finds a file that a file names in the current directory, or else beside that file', (t) => {
  const { 'a.json': content } = file({ data_source: 'sample', sample_file: 'rows.csv', tags_file: '/abs/tags.csv' });
  const sampleOf = (files: Files) => {
    const [table] = insertOf(loadRequest(['-f', 'lab/a.json'], { 'lab/a.json': content, ...files })).databases[0]!
      .superTables;
    return [table?.sample?.file, table?.tagsFile];
  };
  t.deepEqual(sampleOf({ 'lab/rows.csv': '1' }), ['lab/rows.csv', '/abs/tags.csv']);
  t.deepEqual(sampleOf({ 'lab/rows.csv': '1', 'rows.csv': '2' }), ['rows.csv', '/abs/tags.csv']);
  t.deepEqual(sampleOf({}), ['rows.csv', '/abs/tags.csv'], 'the error names the file as it is written');
});

test('finds the server in the configuration directory when no host and no port is given', (t) => {
  const toml = 'port = 7041\n[database]\nhost = "db"\nport = 7030\n';
  const settings = insertOf(
    loadRequest(['-c', '~/conf'], { '/home/eva/conf/adapter.toml': toml }, { HOME: '/home/eva' }),
  );
  t.deepEqual(
    { ...settings.connection },
    {
      host: 'db',
      port: 7030,
      httpPort: 7041,
      user: 'root',
      password: 'taosdata',
      configDirectory: '/home/eva/conf',
    },
  );
  const connection = insertOf(loadRequest(['-c', '/c', '-h', 'x'], { '/c/adapter.toml': toml })).connection;
  t.deepEqual([connection.host, connection.port], ['x', 6030]);
  t.regex(notesOf(loadRequest(['-c', '/none'])), /\/none\/adapter\.toml is not used: no such file/);
  t.is(notesOf(loadRequest([])), '');
  t.is(
    insertOf(loadRequest(['-f', 'a.json'], { ...file({}, {}, { cfgdir: '/c' }), '/c/adapter.toml': toml })).connection
      .host,
    'db',
  );
  t.regex(refusalOf(loadRequest(['-c', '$NOSUCH/x'])), /NOSUCH is not set/);
});

test('any JSON object in a file is run, or refused with a reason', (t) => {
  const keys = settings.flatMap(({ keys }) => keys);
  const scalar = fc.oneof(
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1e300,
      0.5,
      'yes',
      'no',
      'insert',
      'query',
      'subscribe',
      'int',
      'json',
      '5',
      'rest',
    ),
    fc.string(),
    fc.double(),
  );
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      scalar,
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('node'), { maxKeys: 8 }),
    ),
  }));
  const top = fc.dictionary(fc.constantFrom(...keys), node, { maxKeys: 8 });
  fc.assert(
    fc.property(top, fc.constantFrom('insert', 'query', 'subscribe'), (object, filetype) => {
      const outcome = loadRequest(['-f', 'a.json'], { 'a.json': { filetype, ...object } }).outcome;
      t.true(outcome === 'run' || outcome === 'refused');
    }),
  );
});
