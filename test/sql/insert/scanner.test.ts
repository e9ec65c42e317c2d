import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import { dataType } from '../../../src/model/schema.js';
import { InsertWorld, nowMs, rowsOf } from '../../support/load/insert-world.js';

const pump = { temp: dataType('FLOAT'), load: dataType('INT') };
const tags = { site: dataType('VARCHAR', 16), size: dataType('INT') };

function plant(): InsertWorld {
  return new InsertWorld()
    .addDatabase('plant')
    .addDatabase('other', 'us')
    .addSuper('pump', pump, tags)
    .addSuper('valve', { open: dataType('BOOL') }, { site: dataType('VARCHAR', 16) })
    .addSub('p7', 'pump')
    .addSub('p9', 'pump')
    .addNormal('log', { line: dataType('VARCHAR', 20), level: dataType('INT') })
    .addNormal('log', { line: dataType('VARCHAR', 20) }, 'other');
}

test('rows follow each other with and without commas, blanks and comments', (t) => {
  for (const rows of [
    '(1000, 20.5, 7)(2000, 20.75, 8)',
    '(1000,20.5,7),(2000,20.75,8);',
    '\n( 1000 , 20.5 , 7 ) ,\n ( 2000\t, 20.75, 8 ) ; -- end',
    '/* first */(1000,/* , */20.5,7) -- (9,9,9)\n(2000,20.75,8)/* closed */',
    '(+1000, 20.50, +7)(2000, 2075e-2, 8)',
  ]) {
    const plan = plant().plan(`INSERT INTO plant.p7 VALUES ${rows}`);
    if (plan.kind !== 'blocks') return t.fail();
    t.is(plan.rows, 2);
    t.is(plan.blocks.length, 1);
    t.deepEqual(
      plan.blocks.map(rowsOf),
      [
        [
          [1000n, 20.5, 7],
          [2000n, 20.75, 8],
        ],
      ],
      rows,
    );
  }
});

test('keywords take any case, IMPORT is INSERT, bare names fold and quoted ones do not', (t) => {
  const world = plant().addNormal('Mixed Case', { a: dataType('INT') });
  t.deepEqual(rowsOf(world.blocks('import Into PLANT.P7 values (1,2,3)')[0]!), [[1n, 2, 3]]);
  t.is(world.blocks('insert into `Mixed Case` (`ts`, A) values (1,2)')[0]?.table, 'Mixed Case');
  t.is(world.faultOf('INSERT INTO `P7` VALUES (1,2,3)').code, Codes.tableNotExist);
  t.is(world.faultOf('INSERT INTO p7 (ts, `Temp`) VALUES (1,2)').code, Codes.invalidColumnName);
});

test('one statement writes several tables, makes sub-tables and takes a column list', (t) => {
  const world = plant();
  const sql =
    'INSERT INTO plant.p7 (ts, temp) VALUES (1709251202000, 21) ' +
    "plant.p8 USING plant.pump (site) TAGS ('east') TTL 30 VALUES (NOW, 1.5, NULL) " +
    'plant.p9 VALUES (NOW+1s, 2, 3), (NOW+2s, 4, 5)';
  const plan = world.plan(sql);
  if (plan.kind !== 'blocks') return t.fail();
  t.is(plan.rows, 4);
  t.deepEqual(plan.blocks.map(rowsOf), [
    [[1709251202000n, 21]],
    [
      [BigInt(nowMs), 1.5, null],
      [BigInt(nowMs) + 1000n, 2, 3],
      [BigInt(nowMs) + 2000n, 4, 5],
    ],
  ]);
  t.deepEqual(
    plan.blocks.map((block) => block.columns.map((column) => column.name)),
    [['temp'], ['temp', 'load']],
  );
  t.deepEqual(world.created, [{ name: 'p8', tags: { site: 'east', size: undefined }, ttl: 30 }]);
  t.deepEqual(
    plan.blocks.map((block) => block.newSubTables.map((sub) => sub.name)),
    [[], ['p8']],
  );
  t.is(plan.blocks[1]?.ids[0], plan.blocks[1]?.newSubTables[0]?.id);
  t.true(plan.blocks.every((block) => block.nullMeaning === 'overwrite' && block.table === 'pump'));
});

test('rows of a super table name their sub-tables in tbname', (t) => {
  const world = plant();
  const sql =
    "INSERT INTO plant.pump (tbname, site, ts, temp) VALUES ('p10','west',1000,1)('p11',NULL,1000,2)" +
    "('p7','ignored',1000,3)('p10','other',2000,4)";
  const [block, ...rest] = world.blocks(sql);
  t.is(rest.length, 0);
  t.deepEqual(rowsOf(block!), [
    [1000n, 1],
    [1000n, 2],
    [1000n, 3],
    [2000n, 4],
  ]);
  t.is(block?.ids[0], block?.ids[3]);
  t.is(new Set(block?.ids).size, 3);
  t.deepEqual(world.created, [
    { name: 'p10', tags: { site: 'west', size: undefined }, ttl: 0 },
    { name: 'p11', tags: { site: undefined, size: undefined }, ttl: 0 },
  ]);
  t.deepEqual(
    block?.newSubTables.map((sub) => sub.name),
    ['p10', 'p11'],
  );
});

test('tbname and tags may stand anywhere in a row, and names may hold quotes', (t) => {
  const world = plant();
  const sql = `INSERT INTO pump (size, ts, tbname, temp) VALUES (5 , 1, "it''s" , 2)(6, 2, 'it\\'s', 3)(7,3,"it's",4)`;
  const [block] = world.blocks(sql);
  t.deepEqual(world.created, [
    { name: "it''s", tags: { site: undefined, size: '5' }, ttl: 0 },
    { name: "it's", tags: { site: undefined, size: '6' }, ttl: 0 },
  ]);
  t.is(block?.ids[1], block?.ids[2]);
});

test('super-table rows and USING clauses of one statement share a sub-table and a block', (t) => {
  const world = plant();
  const sql =
    "INSERT INTO n1 USING pump TAGS ('a', 1) VALUES (1, 1, 1) n1 VALUES (2, 2, 2) " +
    "pump (tbname, ts, temp, load) VALUES ('n1', 3, 3, 3) n1 USING plant.pump TAGS ('b', 2) VALUES (4, 4, 4)";
  const blocks = world.blocks(sql);
  t.is(blocks.length, 1);
  t.is(blocks[0]?.rows, 4);
  t.is(new Set(blocks[0]?.ids).size, 1);
  t.is(blocks[0]?.newSubTables.length, 1);
  t.is(world.created.length, 1);
});

test('a column list may stand behind the tags, in any order', (t) => {
  const world = plant();
  const [block] = world.blocks("INSERT INTO n1 USING pump TAGS ('a', 1) (load, ts) VALUES (7, 1)");
  t.deepEqual(rowsOf(block!), [[1n, 7]]);
  t.is(world.faultOf("INSERT INTO n1 (ts) USING pump TAGS ('a', 1) (ts) VALUES (7)").code, Codes.insertSyntax);
});

test('ten thousand sub-tables of one super table make one block', (t) => {
  const world = plant();
  const clauses = Array.from(
    { length: 10000 },
    (_, i) => `s${i} USING pump TAGS ('x', ${i}) VALUES (${i}, ${i / 4}, ${i})`,
  );
  const plan = world.plan(`INSERT INTO ${clauses.join(' ')}`);
  if (plan.kind !== 'blocks') return t.fail();
  t.is(plan.blocks.length, 1);
  t.is(plan.rows, 10000);
  t.is(plan.blocks[0]?.newSubTables.length, 10000);
  t.is(new Set(plan.blocks[0]?.ids).size, 10000);
  t.deepEqual(rowsOf(plan.blocks[0]!)[9999], [9999n, 9999 / 4, 9999]);
});

test('blocks in order overwrite as the tuples of the statement would', (t) => {
  const names = (sql: string) =>
    plant()
      .blocks(sql)
      .map((block) => `${block.table}(${block.columns.map((c) => c.name).join()})x${block.rows}`);
  t.deepEqual(names('INSERT INTO p7 VALUES (1,1,1) p7 (ts,temp) VALUES (1,2) p7 VALUES (1,3,3)'), [
    'pump(temp,load)x1',
    'pump(temp)x1',
    'pump(temp,load)x1',
  ]);
  t.deepEqual(
    names('INSERT INTO p7 VALUES (1,1,1) p7 (ts,temp) VALUES (1,2) p9 VALUES (1,3,3) p7 (temp,ts) VALUES (1,2)'),
    ['pump(temp,load)x2', 'pump(temp)x2'],
  );
  t.deepEqual(
    names("INSERT INTO p7 VALUES (1,1,1) pump (tbname,ts,temp) VALUES ('p7',1,2) p9 VALUES (1,3,3) p7 VALUES (1,4,4)"),
    ['pump(temp,load)x2', 'pump(temp)x1', 'pump(temp,load)x1'],
  );
  t.deepEqual(names("INSERT INTO log VALUES (1,'a',1) log (ts) VALUES (2) log VALUES (3,'b',2)"), [
    'log(line,level)x1',
    'log()x1',
    'log(line,level)x1',
  ]);
});

test('blocks of databases with different precision are apart', (t) => {
  const blocks = plant().blocks(
    "INSERT INTO log VALUES ('1970-01-01T00:00:01Z', 'a', 1) other.log VALUES ('1970-01-01T00:00:01Z', 'b')",
  );
  t.deepEqual(
    blocks.map((block) => [block.database, block.table, block.times[0]]),
    [
      ['plant', 'log', 1000n],
      ['other', 'log', 1000000n],
    ],
  );
});

test('unknown names are all listed at once, without reading their rows', (t) => {
  const world = plant().addUnknown('u1').addUnknown('u2').addUnknown('stb').addUnknown('u3').addUnknown('x', 'other');
  const sql =
    "INSERT INTO u1 VALUES (1, ')', /* ) */ '(') p7 VALUES (1,1,1) u2 USING stb TAGS ('TAGS (') VALUES (1) " +
    "pump (tbname, ts) VALUES ('u3', 1) ('p7', 2) other.x VALUES (0) u1 (ts) VALUES (2) n1 USING pump TAGS ('a',1) VALUES (1,1,1)";
  const plan = world.plan(sql);
  if (plan.kind !== 'lookup') return t.fail();
  t.deepEqual(
    plan.names.map((name) => `${name.database}.${name.name}`),
    ['plant.u1', 'plant.u2', 'plant.stb', 'plant.u3', 'other.x'],
  );
});

test('an unregistered sub-table that memory knows is listed too', (t) => {
  const world = plant().addSub('fresh', 'pump', false);
  const [block] = world.blocks('INSERT INTO fresh VALUES (1,1,1) fresh VALUES (2,2,2)');
  t.deepEqual(
    block?.newSubTables.map((sub) => sub.name),
    ['fresh'],
  );
});

test('tags of an existing sub-table are ignored but must be valid', (t) => {
  const world = plant();
  t.is(world.blocks("INSERT INTO p7 USING pump TAGS ('x', 1) VALUES (1,1,1)").length, 1);
  t.is(world.created.length, 0);
  t.is(world.faultOf("INSERT INTO p7 USING pump TAGS ('x') VALUES (1,1,1)").code, Codes.tagsNotMatched);
  t.is(world.faultOf("INSERT INTO p7 USING pump TAGS ('x', 'y') VALUES (1,1,1)").code, Codes.insertSyntax);
});

test('faults name what is missing in the catalogue', (t) => {
  const world = plant().addDatabase('empty').addSuper('elsewhere', pump, tags, 'other');
  const cases: [sql: string, code: number, message?: string][] = [
    ['INSERT INTO nope VALUES (1)', Codes.tableNotExist, 'Table does not exist: nope'],
    ['INSERT INTO nope USING nostb TAGS (1) VALUES (1)', Codes.tableNotExist, 'Table does not exist: nostb'],
    ['INSERT INTO nodb.t VALUES (1)', Codes.databaseNotExist, 'Database not exist: nodb'],
    ['INSERT INTO nodb.t USING nodb.s TAGS (1) VALUES (1)', Codes.databaseNotExist],
    ['INSERT INTO n1 USING log TAGS (1) VALUES (1)', Codes.stableNotExist],
    ['INSERT INTO n1 USING p7 TAGS (1) VALUES (1)', Codes.stableNotExist],
    ["INSERT INTO n1 USING other.elsewhere TAGS ('a',1) VALUES (1,1,1)", Codes.stableNotInDatabase],
    ["INSERT INTO p7 USING valve TAGS ('a') VALUES (1,1)", Codes.tableInOtherStable],
    ["INSERT INTO log USING pump TAGS ('a',1) VALUES (1,1,1)", Codes.tableInOtherStable],
    ["INSERT INTO valve (tbname, ts) VALUES ('p7', 1)", Codes.tableInOtherStable],
    ["INSERT INTO valve (tbname, ts) VALUES ('log', 1)", Codes.tableInOtherStable],
    ['INSERT INTO p7 (ts, nope) VALUES (1,1)', Codes.invalidColumnName, 'Invalid column name: nope'],
    ["INSERT INTO p7 (ts, site) VALUES (1,'a')", Codes.invalidColumnName, 'Invalid column name: site'],
    ["INSERT INTO p7 (ts, tbname) VALUES (1,'a')", Codes.invalidColumnName],
    ['INSERT INTO n1 USING pump (nope) TAGS (1) VALUES (1,1,1)', Codes.invalidColumnName],
  ];
  for (const [sql, code, message] of cases) {
    const fault = world.faultOf(sql);
    t.is(fault.code, code, sql);
    if (message !== undefined) t.is(fault.message, message);
  }
  world.currentDatabase = undefined;
  t.is(world.faultOf('INSERT INTO p7 VALUES (1,1,1)').code, Codes.databaseNotSpecified);
  t.is(world.blocks('INSERT INTO plant.p7 VALUES (1,1,1)').length, 1);
});

test('syntax faults quote the rest of the statement and give a reason', (t) => {
  const world = plant();
  const cases: [sql: string, message: string][] = [
    ['SELECT 1', "syntax error near 'SELECT 1' (keyword INSERT is expected)"],
    ['INSERT p7 VALUES (1)', "syntax error near 'p7 VALUES (1)' (keyword INTO is expected)"],
    ['INSERT INTO', "syntax error near '' (table_name is expected)"],
    ['INSERT INTO 7p VALUES (1)', "syntax error near '7p VALUES (1)' (table_name is expected)"],
    ['INSERT INTO p7', "syntax error near '' (keyword VALUES or FILE is expected)"],
    ['INSERT INTO p7 VALUE (1)', "syntax error near 'VALUE (1)' (keyword VALUES or FILE is expected)"],
    ['INSERT INTO p7 VALUES', "syntax error near '' (no any data points)"],
    ['INSERT INTO p7 VALUES 1', "syntax error near '1' (no any data points)"],
    ['INSERT INTO p7 VALUES (1,2,3),', "syntax error near '' (( is expected)"],
    ['INSERT INTO p7 VALUES (1,2,3), p9', "syntax error near 'p9' (( is expected)"],
    ['INSERT INTO p7 VALUES (1 2,3)', "syntax error near '2,3)' (, expected)"],
    ['INSERT INTO p7 VALUES (1,2,3', "syntax error near '' () expected)"],
    ['INSERT INTO p7 VALUES (1,2,3 4)', "syntax error near '4)' () expected)"],
    ['INSERT INTO p7 VALUES (1,,3)', "syntax error near ',3)' (invalid data or symbol)"],
    ['INSERT INTO p7 VALUES (1,?,3)', "syntax error near '?,3)' (invalid data or symbol)"],
    ['INSERT INTO p7 VALUES (1,abc,3)', "syntax error near 'abc,3)' (invalid data or symbol)"],
    ['INSERT INTO p7 VALUES (1,2x,3)', "syntax error near '2x,3)' (invalid numeric data)"],
    ["INSERT INTO p7 VALUES (1,'2,3)", "syntax error near ''2,3)' (invalid data or symbol)"],
    ['INSERT INTO p7 VALUES (1,2,3); x', "syntax error near 'x' (invalid data or symbol)"],
    ['INSERT INTO p7 (ts, temp, ts) VALUES (1,2,3)', "syntax error near 'ts) VALUES (1,2,3)' (duplicated column name)"],
    ['INSERT INTO p7 (ts temp) VALUES (1,2)', "syntax error near 'temp) VALUES (1,2)' () expected)"],
    ['INSERT INTO n1 USING pump VALUES (1)', "syntax error near 'VALUES (1)' (TAGS is expected)"],
    ['INSERT INTO n1 USING pump TAGS 1', "syntax error near '1' (( is expected)"],
    [
      "INSERT INTO n1 USING pump (site,site) TAGS ('a','b') VALUES (1)",
      "syntax error near 'site) TAGS ('a','b') VALUES (1)' (duplicated column name)",
    ],
    [
      "INSERT INTO n1 USING pump TAGS ('a',1) TTL x VALUES (1)",
      "syntax error near 'x VALUES (1)' (invalid numeric data)",
    ],
    ['INSERT INTO pump VALUES (1,2,3)', "syntax error near 'pump VALUES (1,2,3)' (tbname value expected)"],
    ['INSERT INTO pump (ts) VALUES (1)', "syntax error near 'pump (ts) VALUES (1)' (tbname value expected)"],
    ['INSERT INTO pump (ts,tbname) VALUES (1,2)', "syntax error near '2)' (tbname value expected)"],
  ];
  for (const [sql, message] of cases) t.deepEqual(world.faultOf(sql), { code: Codes.insertSyntax, message }, sql);
});

test('at most 63 characters of the statement are quoted, whole ones', (t) => {
  const { message } = plant().faultOf(`INSERT INTO p7 VALUES (1, ${'é😀'.repeat(100)}`);
  t.is(message, `syntax error near '${'é😀'.repeat(31)}é' (invalid data or symbol)`);
});

test('the number of values must be that of the columns', (t) => {
  const world = plant();
  for (const values of ['()', '(1)', '(1,2)', '(1,2,3,4)', '(1,2,3)(1,2)']) {
    const fault = world.faultOf(`INSERT INTO p7 VALUES ${values}`);
    t.deepEqual(fault, { code: Codes.illegalColumnCount, message: 'Illegal number of columns' }, values);
  }
  t.is(world.faultOf('INSERT INTO p7 (ts,temp) VALUES (1,2,3)').code, Codes.illegalColumnCount);
  for (const tagValues of ["('a')", "('a',1,2)"]) {
    t.is(world.faultOf(`INSERT INTO n1 USING pump TAGS ${tagValues} VALUES (1,1,1)`).code, Codes.tagsNotMatched);
  }
  t.is(world.faultOf("INSERT INTO n1 USING pump (site) TAGS ('a',1) VALUES (1,1,1)").code, Codes.tagsNotMatched);
});

test('the primary time must be there, not NULL and within the retention', (t) => {
  const world = plant();
  const missing = { code: Codes.invalidOperation, message: 'primary timestamp column can not be null' };
  t.deepEqual(world.faultOf('INSERT INTO p7 VALUES (NULL,1,1)'), missing);
  t.deepEqual(world.faultOf("INSERT INTO p7 VALUES ('null',1,1)"), missing);
  t.deepEqual(world.faultOf('INSERT INTO p7 (temp) VALUES (1)'), missing);
  world.min = 1000n;
  world.max = 2000n;
  const outside = { code: Codes.timestampOutOfRange, message: 'Timestamp data out of range' };
  for (const time of ['999', '2001', '-1', '9223372036854775807', '9223372036854775808', "'2024-01-01'", 'NOW']) {
    t.deepEqual(world.faultOf(`INSERT INTO p7 VALUES (${time},1,1)`), outside, time);
  }
  t.is(world.blocks('INSERT INTO p7 VALUES (1000,1,1)(2000,1,1)').length, 1);
  world.min = -(1n << 40n);
  world.max = -5n;
  t.is(world.blocks('INSERT INTO p7 VALUES (-5,1,1)(-1099511627776,1,1)').length, 1);
  t.deepEqual(world.faultOf('INSERT INTO p7 VALUES (-4,1,1)'), outside);
});

test('tbname must be a name', (t) => {
  const world = plant();
  t.deepEqual(world.faultOf('INSERT INTO pump (tbname, ts) VALUES (NULL, 1)'), {
    code: Codes.invalidOperation,
    message: 'tbname column can not be null',
  });
  for (const name of ['', 'a.b', 'x'.repeat(193)]) {
    t.is(world.faultOf(`INSERT INTO pump (tbname, ts) VALUES ('${name}', 1)`).code, Codes.invalidIdentifier);
  }
  t.is(world.blocks(`INSERT INTO pump (tbname, ts) VALUES ('${'x'.repeat(192)}', 1)`).length, 1);
  t.is(world.faultOf("INSERT INTO pump (tbname, ts, size) VALUES ('n', 1, 'x')").code, Codes.insertSyntax);
});

test('names that no object may have are refused', (t) => {
  const world = plant();
  t.deepEqual(world.faultOf('INSERT INTO `` VALUES (1)'), {
    code: Codes.invalidIdentifier,
    message: 'Invalid identifier name: ',
  });
  t.is(world.faultOf('INSERT INTO `a.b` VALUES (1)').code, Codes.invalidIdentifier);
  t.is(world.faultOf(`INSERT INTO ${'x'.repeat(193)} VALUES (1)`).code, Codes.invalidIdentifier);
  t.is(world.faultOf(`INSERT INTO ${'d'.repeat(65)}.t VALUES (1)`).code, Codes.invalidIdentifier);
  t.is(world.faultOf('INSERT INTO `open VALUES (1)').code, Codes.insertSyntax);
});

test('a back quote in a name is doubled', (t) => {
  const world = plant();
  t.is(world.faultOf('INSERT INTO `p7`` VALUES (1,1,1)').code, Codes.insertSyntax);
  t.deepEqual(world.faultOf('INSERT INTO p7 (ts, ```a``\n`) VALUES (1,1)'), {
    code: Codes.invalidColumnName,
    message: 'Invalid column name: `a`\n',
  });
});

test('files are refused, whatever the table', (t) => {
  t.deepEqual(plant().faultOf("INSERT INTO nope FILE '/tmp/a.csv'"), {
    code: Codes.invalidOperation,
    message: 'proxy mode does not support csv loading',
  });
});

test('TTL and COMMENT may follow the tags in any order', (t) => {
  const world = plant();
  world.blocks("INSERT INTO n1 USING pump TAGS ('a',1) COMMENT 'one' TTL 7 VALUES (1,1,1)");
  t.is(world.created[0]?.ttl, 7);
  const long = 'c'.repeat(1025);
  t.is(
    world.faultOf(`INSERT INTO n2 USING pump TAGS ('a',1) COMMENT '${long}' VALUES (1,1,1)`).code,
    Codes.commentTooLong,
  );
});

test('columns left out of the list are not in the block, NULLs are', (t) => {
  const [block] = plant().blocks('INSERT INTO p7 (ts, load) VALUES (1, NULL)(2, 5)');
  t.deepEqual(
    block?.columns.map((column) => [column.name, column.full, [...column.nulls]]),
    [['load', false, [1, 0]]],
  );
});
