import test from 'ava';
import type { SubTable } from '../../../src/model/schema.js';
import { PointTable } from '../../../src/transforms/points/point-table.js';
import { SeriesDictionary } from '../../../src/transforms/points/series-dictionary.js';
import { LineProtocolDesk } from '../../support/messages/line-protocol.js';

function subTable(id: bigint): SubTable {
  return { key: id, id, name: `t_${id}`, superTable: 'm', tags: new Map(), ttl: 0, registered: false };
}

function entry(key: string, hash: number) {
  const bytes = Buffer.from(`..${key} v=1`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = 2 + Buffer.byteLength(key);
  return {
    add: (d: SeriesDictionary, id: bigint) =>
      d.add(bytes, 2, end, hash, d.tableIndex(new PointTable('m')), subTable(id)),
    find: (d: SeriesDictionary) => d.find(bytes, view, 2, end, hash),
  };
}

test('finds every series it was given, with its id', (t) => {
  const dictionary = new SeriesDictionary();
  const entries = Array.from({ length: 5000 }, (_, i) => entry(`m,host=${i}`, Math.imul(i, 0x9e3779b1)));
  entries.forEach((e, i) => {
    t.is(e.find(dictionary), -1);
    e.add(dictionary, (BigInt(i) << 40n) + 0xffff_fff0n);
  });
  entries.forEach((e, i) => {
    const series = e.find(dictionary);
    t.is(dictionary.subTable(series).id, (BigInt(i) << 40n) + 0xffff_fff0n);
    t.is(dictionary.idLow(series) >>> 0, 0xffff_fff0);
    t.is(dictionary.idHigh(series), i << 8);
    t.is(dictionary.tableOf(series).name, 'm');
  });
  t.is(dictionary.size, 5000);
});

test('knows which series came behind which, and parts of its keys, until it starts anew', (t) => {
  const dictionary = new SeriesDictionary(100, 10_000);
  const entries = Array.from({ length: 100 }, (_, i) => entry(`m,host=server-${i}`, Math.imul(i, 0x9e3779b1)));
  const series = entries.map((e, i) => e.add(dictionary, BigInt(i)));
  t.is(dictionary.next(series[3]!), -1);
  dictionary.setNext(series[3]!, series[0]!);
  dictionary.setNext(series[4]!, series[9]!);
  t.is(dictionary.next(series[3]!), series[0]!);
  t.is(dictionary.next(series[4]!), series[9]!);
  t.is(dictionary.keyLength(series[42]!), 'm,host=server-42'.length);
  const text = Buffer.from('  host=server-42 ');
  const view = new DataView(text.buffer, text.byteOffset, text.byteLength);
  t.true(dictionary.hasPart(series[42]!, 2, text, view, 2, 14));
  t.false(dictionary.hasPart(series[41]!, 2, text, view, 2, 14));
  t.true(dictionary.hasPart(series[41]!, 2, text, view, 2, 13));
  const anew = entry('n', 1).add(dictionary, 1n);
  t.is(dictionary.size, 1);
  t.is(dictionary.next(anew), -1);
});

test('tells keys of one hash apart and forgets those beyond the longest search', (t) => {
  const dictionary = new SeriesDictionary();
  const entries = Array.from({ length: 200 }, (_, i) => entry(`m,host=${i}`, 7));
  const added = entries.map((e, i) => e.add(dictionary, BigInt(i)));
  t.is(added.filter((series) => series >= 0).length, 64);
  entries.forEach((e, i) => {
    const series = e.find(dictionary);
    t.is(series, added[i]!);
    if (series >= 0) t.is(dictionary.subTable(series).id, BigInt(i));
  });
});

test('starts anew at its limits instead of growing', (t) => {
  const dictionary = new SeriesDictionary(100, 10_000);
  for (let i = 0; i < 1050; i++) {
    entry(`m,host=${i}`, Math.imul(i, 0x9e3779b1)).add(dictionary, 1n);
    t.true(dictionary.size <= 100);
  }
  const long = 'x'.repeat(4000);
  for (let i = 0; i < 10; i++) {
    entry(`${long}${i}`, i).add(dictionary, 1n);
    t.true(dictionary.keyBytes <= 10_000);
  }
});

test('a parse gives the same rows when the dictionary starts anew in its middle', (t) => {
  const body = Array.from({ length: 300 }, (_, i) => `m${i % 2},host=h${i % 30} v=${i} ${i + 1}\n`).join('');
  const wide = new LineProtocolDesk();
  const narrow = new LineProtocolDesk();
  narrow.dictionary = new SeriesDictionary(7);
  const parsed = narrow.parse(body);
  t.deepEqual(narrow.rows(parsed), wide.read(body));
  for (const block of parsed.blocks)
    t.is(new Set(block.newSubTables.map((s) => s.name)).size, block.newSubTables.length);
});

test('forgets what belongs to another database', (t) => {
  const desk = new LineProtocolDesk();
  desk.parse('m,a=1 v=1\nm,a=2 v=1');
  t.is(desk.dictionary.size, 2);
  desk.dictionary.prepare('1');
  t.is(desk.dictionary.size, 2);
  desk.dictionary.prepare('2');
  t.is(desk.dictionary.size, 0);
});

test('keys that lie anywhere in the text are found again', (t) => {
  const desk = new LineProtocolDesk();
  const keys = ['m', 'mm', 'mmm', 'mmmm', 'm\\ x,a=\\ b', 'm,t=a\tb', 'mmmm,a=12', 'm,t=\u{1f600}'];
  for (let shift = 0; shift < 9; shift++) {
    for (const key of keys) {
      const body = `${'\n'.repeat(shift)}${key} v=1 ${shift + 1}\n${key} v=2${shift % 2 === 0 ? '' : '\n'}`;
      t.is(desk.parse(body).rows, 2, body);
    }
  }
  t.is(desk.dictionary.size, keys.length);
});
