import test from 'ava';
import { column, fromQuery, inQuery, join, select } from '../../../src/sql/engine/build.js';
import { type FromItem, Over } from '../../../src/sql/engine/nodes.js';
import { shapeOf } from '../../../src/sql/engine/shape.js';
import { expr } from '../../../src/sql/engine/template.js';

const rows: FromItem = { kind: 'table', table: 'd0.t0', alias: 't1', final: true };
const tags: FromItem = { kind: 'table', table: 'd0.g0', alias: 'g1', final: true };
const value = column('t1', 'c1');

test('the shape of a query counts its SELECTs, joins and unions', (t) => {
  const one = select({ columns: [[expr`max(${value})`, 'r1']], from: rows });
  t.like(shapeOf(one), { selects: 1, joins: 0, unites: false, readsRows: true, mergesRows: true, looksAround: false });
  const both = select({ columns: [], star: '*', from: fromQuery({ union: [one, one] }, 'u') });
  t.like(shapeOf(both), { selects: 3, unites: true });
  t.false(shapeOf({ union: [one, one], distinct: true }).unites);
});

test('ids of series that tags choose are distinguished from other sets', (t) => {
  const ids = select({ columns: [[column('g1', 'id'), '']], from: tags });
  const chosen = select({ columns: [[value, 'r1']], from: rows, where: [inQuery(column('t1', 'id'), ids)] });
  t.like(shapeOf(chosen), { selects: 2, idSets: 1, merges: true });
  const other = select({ columns: [[column('x', 'id'), '']], from: { kind: 'table', table: 'd0.t0', alias: 'x' } });
  t.is(shapeOf(select({ ...chosen, where: [inQuery(value, other)] })).idSets, 0);
});

test('tags beside rows, and beside groups of series, are seen in joins', (t) => {
  const live = fromQuery(
    select({ columns: [], star: '*', from: { kind: 'table', table: 'd0.g0', final: true } }),
    'g1',
  );
  const beside = select({ columns: [[value, 'r1']], from: join('INNER', rows, live, [expr`g1.id = t1.id`]) });
  t.like(shapeOf(beside), { joins: 1, joinsTags: true, groupsSeries: false });
  const grouped = select({ columns: [[column('t1', 'id'), 'id']], from: rows, groupBy: 1 });
  const series = select({ columns: [[column('i', 'id'), 'r1']], from: join('INNER', live, fromQuery(grouped, 'i')) });
  t.like(shapeOf(series), { joinsTags: true, groupsSeries: true });
});

test('functions over a window, lambdas and rows made of one are more than expressions over rows', (t) => {
  const looksAround = (node: Parameters<typeof expr>[1]) =>
    shapeOf(select({ columns: [[expr`f(${node})`, 'r1']], from: rows })).looksAround;
  t.false(looksAround(value));
  t.true(looksAround(new Over(expr`row_number()`, {})));
  t.true(looksAround(expr`arrayMap(x -> x, [1])`));
  t.true(looksAround(expr`arrayJoin([1, 2])`));
});
