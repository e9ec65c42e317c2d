import test from 'ava';
import { FaultError } from '../../src/model/fault.js';
import { type ColumnDef, type DataType, dataType, type TagValue } from '../../src/model/schema.js';
import { growthFor, isHeld } from '../../src/sinks/required-schema.js';
import { blockOf, int, tableOf } from '../support/blocks/blocks.js';

test('blocks of a table that does not exist yet need all their columns, each once and in its widest form', (t) => {
  const short = blockOf('t', { v: int, s: dataType('VARCHAR', 8) }, [[1n, 1n, { v: 1, s: 'a' }]]);
  const long = blockOf('t', { s: dataType('VARCHAR', 16) }, [[1n, 2n, { s: 'b' }]]);
  t.deepEqual(growthFor([short, long], undefined).columns, [
    { name: 'v', type: int },
    { name: 's', type: dataType('VARCHAR', 16) },
  ]);
});

test('blocks that disagree about the type of a column are never written together', (t) => {
  const whole = blockOf('t', { v: int }, [[1n, 1n, { v: 1 }]]);
  const broken = blockOf('t', { v: dataType('DOUBLE') }, [[1n, 2n, { v: 1.5 }]]);
  const error = t.throws(() => growthFor([whole, broken], undefined), { instanceOf: FaultError });
  t.is(error?.fault.code, 0x3004);
});

test('blocks of two metrics whose names become the same never make one table', (t) => {
  const block = blockOf('a_b_c', { v: int }, [[1n, 1n, { v: 1 }]]);
  const blocks = (['dots a.b_c', 'dots a_b.c'] as const).map((sentAs) => ({ ...block, sentAs }));
  const error = t.throws(() => growthFor(blocks, undefined), { instanceOf: FaultError });
  t.regex(error?.message ?? '', /metric "a_b.c" cannot be stored in table "a_b_c", which holds metric "a.b_c"/);
});

/** The growth of a table with one tag `g` that a sub-table with the given value asks for. */
function tagGrowth(declared: DataType | undefined, value: TagValue) {
  const tags: ColumnDef[] = declared === undefined ? [] : [{ name: 'g', type: declared, physical: 'c2' }];
  const subTable = {
    key: 1n,
    id: 1n,
    name: 's',
    superTable: 't',
    tags: new Map([['g', value]]),
    ttl: 0,
    registered: false,
  };
  const block = { ...blockOf('t', {}, []), newSubTables: [subTable] };
  return growthFor([block], { ...tableOf('t', {}), tags }).tags.map(({ type }) => type);
}

test('a tag is made as wide as its first values need, and is widened only by a value that does not fit', (t) => {
  t.deepEqual(tagGrowth(undefined, 'höhe'), [dataType('NCHAR', 8)]);
  t.deepEqual(tagGrowth(undefined, undefined), [dataType('NCHAR', 1)]);
  t.deepEqual(tagGrowth(dataType('NCHAR', 4), 'höhe'), []);
  t.deepEqual(tagGrowth(dataType('NCHAR', 3), 'höhe'), [dataType('NCHAR', 8)]);
});

test('a tag that a statement declared keeps its type: text is widened by its own measure, other types never', (t) => {
  t.deepEqual(tagGrowth(dataType('VARCHAR', 5), 'höhe'), []);
  t.deepEqual(tagGrowth(dataType('VARCHAR', 4), 'höhe'), [dataType('VARCHAR', 8)]);
  t.deepEqual(tagGrowth(dataType('INT'), '123456789'), []);
});

test('tags of sub-tables that a table is known to cover are not compared with it again', (t) => {
  const table = { ...tableOf('t', {}), tags: [] };
  const tags = new Map([['g', 'long']]);
  const subTable = { key: 1n, id: 1n, name: 's', superTable: 't', tags, ttl: 0, registered: false };
  const block = { ...blockOf('t', {}, []), newSubTables: [{ ...subTable, coveredBy: table }] };
  t.deepEqual(growthFor([block], table).tags, []);
  t.is(growthFor([block], { ...table }).tags.length, 1);
  t.is(growthFor([block], undefined).tags.length, 1);
});

test('a column whose decimals are of another form is not covered by the table', (t) => {
  const block = blockOf('t', { d: dataType('DECIMAL', 10, 2) }, [[1n, 1n, { d: 1n }]]);
  const [same, other] = [dataType('DECIMAL', 10, 2), dataType('DECIMAL', 20, 4)].map((d) => tableOf('t', { d }));
  t.deepEqual(growthFor([block], same).columns, []);
  t.is(growthFor([block], other).columns.length, 1);
  t.deepEqual([isHeld(block, same!), isHeld(block, other!)], [true, false]);
  t.false(isHeld(blockOf('t', { s: dataType('VARCHAR', 16) }, []), tableOf('t', { s: dataType('VARCHAR', 8) })));
});
