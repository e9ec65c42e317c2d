import test from 'ava';
import fc from 'fast-check';
import { declaredType } from '../../../src/database/catalogue/column-type.js';
import { databaseOptions } from '../../../src/database/catalogue/database-options.js';
import { type DatabaseDef, type DataType, dataType, type TableDef } from '../../../src/model/schema.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { createDatabaseText, createTableText } from '../../../src/statements/show/show-create.js';

const name = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((text) => !/[`.\p{Cc}]/u.test(text) && Buffer.byteLength(text) <= 64);
const plain = fc.constantFrom<DataType>(
  ...(['BOOL', 'TINYINT', 'INT UNSIGNED', 'BIGINT', 'FLOAT', 'DOUBLE', 'TIMESTAMP'] as const).map((type) =>
    dataType(type),
  ),
);
const sized = fc
  .tuple(fc.constantFrom('VARCHAR', 'NCHAR', 'VARBINARY', 'GEOMETRY'), fc.integer({ min: 1, max: 4095 }))
  .map(([type, length]) => dataType(type, length));
const decimal = fc
  .integer({ min: 1, max: 38 })
  .chain((length) => fc.integer({ min: 0, max: length }).map((scale) => dataType('DECIMAL', length, scale)));
const columns = (type: fc.Arbitrary<DataType>) =>
  fc.array(fc.record({ name, type, physical: fc.constant('c') }), { minLength: 1, maxLength: 5 });

const table = fc
  .record({
    name,
    timeColumn: name,
    columns: columns(fc.oneof(plain, sized, decimal)),
    tags: fc.option(columns(fc.oneof(plain, sized)), { nil: undefined }),
    comment: fc.option(fc.string({ unit: 'binary', maxLength: 40 }), { nil: undefined }),
    ttl: fc.nat(),
  })
  .map(
    ({ tags, ...rest }): TableDef => ({
      ...rest,
      id: '1_0',
      database: 'd',
      kind: tags === undefined ? 'normal' : 'super',
      tags: tags ?? [],
      storage: '',
      tagStorage: undefined,
      seriesId: undefined,
      created: 0,
      revision: 0,
    }),
  );

test('any table is printed as a statement that reads back as the same table', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(table, (def) => {
        const text = createTableText(def);
        const read = parseStatement(text);
        if (read.kind !== 'create-table') throw new Error(text);
        const spelled = (list: typeof read.columns, role: 'column' | 'tag') =>
          list.map((column) => ({ name: column.name.text, type: declaredType(column.type, role) }));
        const namesAndTypes = (list: TableDef['columns']) => list.map(({ name, type }) => ({ name, type }));
        const [time, ...rest] = spelled(read.columns, 'column');
        t.deepEqual(
          {
            name: read.table.name.text,
            time,
            columns: rest,
            tags: read.tags && spelled(read.tags, 'tag'),
            comment: read.options.comment,
            ttl: read.options.ttl ?? 0,
          },
          {
            name: def.name,
            time: { name: def.timeColumn, type: dataType('TIMESTAMP') },
            columns: namesAndTypes(def.columns),
            tags: def.kind === 'super' ? namesAndTypes(def.tags) : undefined,
            comment: def.comment,
            ttl: def.ttl,
          },
          text,
        );
      }),
    ),
  );
});

const option = {
  KEEP: fc.tuple(fc.integer({ min: 300, max: 9000 }), fc.constantFrom('', 'd')).map(([days, unit]) => `${days}${unit}`),
  DURATION: fc.constantFrom('60m', '12h', '1d', '10', '100d'),
  VGROUPS: fc.integer({ min: 1, max: 1024 }).map(String),
  PRECISION: fc.constantFrom("'ms'", "'US'", '"ns"'),
  CACHEMODEL: fc.constantFrom("'none'", "'Both'"),
  BUFFER: fc.integer({ min: 3, max: 16384 }).map(String),
  TABLE_PREFIX: fc.integer({ min: -191, max: 191 }).map(String),
  STRICT: fc.constantFrom("'on'", "'off'"),
  COMPACT_TIME_RANGE: fc.constant('0d,0d'),
};

test('any database is printed as a statement that reads back as the same database', (t) => {
  const databaseOf = (text: string): DatabaseDef => {
    const read = parseStatement(text);
    if (read.kind !== 'create-database') throw new Error(text);
    const { options: kept, precision, keepDays = 3650 } = databaseOptions(read.options, undefined, '');
    return { id: 'd', name: read.name.text, precision, keepDays, options: kept, created: 0 };
  };
  t.notThrows(() =>
    fc.assert(
      fc.property(name, fc.record(option, { requiredKeys: [] }), (database, options) => {
        const words = Object.entries(options).map(([word, value]) => `${word} ${value}`);
        const first = databaseOf(`CREATE DATABASE \`${database}\` ${words.join(' ')}`);
        const text = createDatabaseText(first);
        const second = databaseOf(text);
        t.deepEqual([second.name, second.precision, second.keepDays], [first.name, first.precision, first.keepDays]);
        t.is(createDatabaseText(second), text);
      }),
    ),
  );
});
