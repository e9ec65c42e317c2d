import test from 'ava';
import fc from 'fast-check';
import { FaultError } from '../../../src/model/fault.js';
import { type DataType, dataType } from '../../../src/model/schema.js';
import { type Cell, InsertWorld, rowsOf } from '../../support/load/insert-world.js';
import { processorMs } from '../../support/processor-time.js';

/** A column type with values of it: the text of a literal and the cell it must become. */
interface Sample {
  readonly type: DataType;
  readonly values: fc.Arbitrary<readonly [literal: string, cell: Cell]>;
}

const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

function integers(name: Parameters<typeof dataType>[0], min: bigint, max: bigint): Sample {
  const wide = max > 4294967295n;
  return {
    type: dataType(name),
    values: fc
      .tuple(fc.bigInt({ min, max }), fc.boolean())
      .map(([value, quoted]) => [quoted ? `'${value}'` : `${value}`, wide ? value : Number(value)]),
  };
}

const text = fc.string({ unit: 'binary', maxLength: 120 });

const samples: readonly Sample[] = [
  integers('TINYINT', -128n, 127n),
  integers('SMALLINT', -32768n, 32767n),
  integers('INT', -(1n << 31n), (1n << 31n) - 1n),
  integers('BIGINT', -(1n << 63n), (1n << 63n) - 1n),
  integers('TINYINT UNSIGNED', 0n, 255n),
  integers('SMALLINT UNSIGNED', 0n, 65535n),
  integers('INT UNSIGNED', 0n, (1n << 32n) - 1n),
  integers('BIGINT UNSIGNED', 0n, (1n << 64n) - 1n),
  integers('TIMESTAMP', -(1n << 63n), (1n << 63n) - 1n),
  {
    type: dataType('DOUBLE'),
    values: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => [`${value}`, value === 0 ? 0 : value]),
  },
  {
    type: dataType('DOUBLE'),
    values: fc
      .tuple(fc.integer({ min: -999999, max: 999999 }), fc.integer({ min: 0, max: 6 }))
      .map(([value, decimals]) => {
        const literal = (value / 1000).toFixed(decimals);
        return [literal, Number(literal) === 0 ? 0 : Number(literal)];
      }),
  },
  {
    type: dataType('FLOAT'),
    values: fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => [`${value}`, value === 0 ? 0 : value]),
  },
  { type: dataType('BOOL'), values: fc.boolean().map((value) => [`${value}`, value ? 1 : 0]) },
  { type: dataType('VARCHAR', 65517), values: text.map((value) => [quote(value), latin1(value)]) },
  { type: dataType('NCHAR', 120), values: text.map((value) => [quote(value), latin1(value)]) },
  {
    type: dataType('VARBINARY', 300),
    values: fc.uint8Array({ maxLength: 300 }).map((value) => {
      const bytes = Buffer.from(value);
      return [`'\\x${bytes.toString('hex')}'`, bytes.toString('latin1')];
    }),
  },
  decimals(18, 4),
  decimals(38, 10),
  decimals(5, 0),
];

function decimals(precision: number, scale: number): Sample {
  const limit = 10n ** BigInt(precision) - 1n;
  return {
    type: dataType('DECIMAL', precision, scale),
    values: fc.bigInt({ min: -limit, max: limit }).map((value) => {
      const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, '0');
      const whole = digits.slice(0, digits.length - scale);
      const literal = scale === 0 ? whole : `${whole}.${digits.slice(-scale)}`;
      return [value < 0n ? `-${literal}` : literal, value];
    }),
  };
}

const table = fc.array(fc.constantFrom(...samples), { minLength: 1, maxLength: 8 }).chain((columns) => {
  const cells = columns.map(({ values }) =>
    fc.oneof({ weight: 1, arbitrary: fc.constant(['NULL', null] as const) }, { weight: 6, arbitrary: values }),
  );
  const row = fc.tuple(fc.integer({ min: 0, max: 2000000000 }), ...cells);
  return fc.record({ columns: fc.constant(columns), rows: fc.array(row, { minLength: 1, maxLength: 50 }) });
});

const separators = fc.constantFrom('', ',', ' , ', '\n', ' -- ( note\n', '/* ) */,');

/** Numbers compare by value: a zero may be negative. */
function plain(cell: Cell | undefined): Cell {
  return cell === 0 ? 0 : (cell ?? null);
}

test('random rows of every type come back from the text of a statement', (t) => {
  fc.assert(
    fc.property(table, separators, ({ columns, rows }, separator) => {
      const definition = Object.fromEntries(columns.map(({ type }, index) => [`c${index}`, type]));
      const world = new InsertWorld().addDatabase('plant').addNormal('t', definition);
      const tuples = rows.map(([time, ...cells]) => `(${[time, ...cells.map(([literal]) => literal)].join(', ')})`);
      const [block] = world.blocks(`INSERT INTO t VALUES ${tuples.join(separator)}`);
      t.deepEqual(
        rowsOf(block!).map((row) => row.map(plain)),
        rows.map(([time, ...cells]) => [BigInt(time), ...cells.map(([, cell]) => plain(cell))]),
      );
    }),
    { numRuns: 400 },
  );
});

const valid = [
  "INSERT INTO plant.p7 (ts, temp) VALUES (1709251202000, 21) plant.p8 USING plant.pump (site) TAGS ('east') TTL 30 COMMENT 'x' VALUES (NOW, 1.5, NULL, 'a''b', '\\x98f4') plant.p7 VALUES (NOW+1s, 2, -3, 'x\\n', NULL), ('2024-03-01T00:00:00+08:00' - 1n, 4e3, 0x5, \"q\", '')",
  "IMPORT INTO `pump` (tbname, site, ts, temp) VALUES ('p10','west',1709251203000,1)('p7',NULL,TODAY(),.2) -- end\n;",
  "INSERT INTO wide VALUES (1, 12.345, 'POINT(1 2)', true, 18446744073709551615, '2024-01-02 03:04:05.678')/* c */(2, NULL, 'LINESTRING(1 2, 3 4)', 'FALSE', 7, 5)",
  'INSERT INTO j1 USING doc TAGS (\'{"a":1,"b":"x"}\') VALUES (1, 2)',
];

function everything(): InsertWorld {
  const text10 = dataType('NCHAR', 10);
  return new InsertWorld()
    .addDatabase('plant')
    .addSuper(
      'pump',
      { temp: dataType('FLOAT'), load: dataType('INT'), note: text10, raw: dataType('VARBINARY', 8) },
      { site: dataType('VARCHAR', 16), size: dataType('INT') },
    )
    .addSuper('doc', { c: dataType('INT') }, { j: dataType('JSON') })
    .addSub('p7', 'pump')
    .addUnknown('u1')
    .addNormal('wide', {
      d: dataType('DECIMAL', 10, 2),
      g: dataType('GEOMETRY', 100),
      b: dataType('BOOL'),
      u: dataType('BIGINT UNSIGNED'),
      at: dataType('TIMESTAMP'),
    });
}

/** Scans a statement that may be wrong; anything thrown but a FaultError fails the test. */
function scanned(statement: string): void {
  try {
    everything().plan(statement);
  } catch (error) {
    if (!(error instanceof FaultError)) throw new Error(`${error} in ${statement}`, { cause: error });
  }
}

test('mutated statements are scanned or refused with a fault, nothing else', (t) => {
  const piece = fc.constantFrom(
    ...'\'"`\\()+-*/,.;0159eExXnN _u\n',
    'NOW',
    'NULL',
    'VALUES',
    'USING',
    'TAGS',
    '--',
    '/*',
    '*/',
    'u1',
    'é😀',
    '\0',
    '9'.repeat(30),
  );
  const edit = fc.record({ at: fc.nat(), length: fc.nat({ max: 6 }), piece: fc.oneof(piece, fc.string()) });
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.array(edit, { minLength: 1, maxLength: 4 }), (statement, edits) => {
        let mutated = statement;
        for (const { at, length, piece: inserted } of edits) {
          const from = at % (mutated.length + 1);
          mutated = mutated.slice(0, from) + inserted + mutated.slice(from + length);
        }
        scanned(mutated);
      }),
      { numRuns: 1500 },
    ),
  );
  for (const statement of valid) {
    t.is(everything().plan(statement).kind, 'blocks');
    for (let end = 0; end < statement.length; end++) scanned(statement.slice(0, end));
  }
});

test('random bytes are refused with a fault', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        scanned(`INSERT INTO wide VALUES (1,${Buffer.from(bytes).toString('latin1')}`);
      }),
      { numRuns: 700 },
    ),
  );
});

test('the time a statement takes grows with its length only', (t) => {
  const long = 1 << 20;
  const statements = [
    `INSERT INTO wide VALUES (1, ${'9'.repeat(long)}`,
    `INSERT INTO wide VALUES (1, 1, NULL, true, ${'0x'}${'f'.repeat(long)}`,
    `INSERT INTO wide VALUES (1, 1e${'9'.repeat(long)}, 1, 1, 1, 1)`,
    `INSERT INTO wide VALUES (1, 1, '${'GEOMETRYCOLLECTION('.repeat(long / 20)}', 1, 1, 1)`,
    `INSERT INTO wide VALUES (1, 1, 'POLYGON(${'('.repeat(long)}', 1, 1, 1)`,
    `INSERT INTO wide VALUES ${'('.repeat(long)}`,
    `INSERT INTO u1 VALUES ${'('.repeat(long)}`,
    `INSERT INTO u1 VALUES ${"('".repeat(long)}`,
    `INSERT INTO wide ${'/*'.repeat(long)}`,
    `INSERT INTO wide ${'/* */'.repeat(long / 5)}`,
    `INSERT INTO wide ${'--\n'.repeat(long / 3)}`,
    `INSERT INTO wide VALUES (1, ${'-'.repeat(long)}`,
    `INSERT INTO p7 VALUES (1, 1, 1, '${'\\'.repeat(long)}', 1)`,
    `INSERT INTO p7 VALUES (1, 1, 1, '${"''".repeat(long)}', 1)`,
    `INSERT INTO \`${'x'.repeat(long)}\` VALUES (1)`,
    `INSERT INTO p7 (${'temp,'.repeat(long / 5)}ts) VALUES (1)`,
    `INSERT INTO j1 USING doc TAGS ('${'{"a":'.repeat(long / 5)}') VALUES (1, 2)`,
    `INSERT INTO ${'u1 VALUES (1) '.repeat(long / 16)}`,
    `INSERT INTO ${'p7 (ts) VALUES (1) p7 VALUES (1,1,1,NULL,NULL) '.repeat(2000)}`,
  ];
  for (const statement of statements) {
    const begin = processorMs();
    scanned(statement);
    t.true(processorMs() - begin < 3000, statement.slice(0, 60));
  }
});
