import test from 'ava';
import { forChild } from '../../../src/load/model/names.js';

for (const [sql, table, expected] of [
  ['select count(*) from xxxx', 't_0', 'select count(*) from shop.t_0'],
  ['select * from shop.xxxx', 't_0', 'select * from shop.t_0'],
  ['select xxxx.v from xxxx', 't_0', 'select shop.t_0.v from shop.t_0'],
  ['select * from xxxx', 'T-0', 'select * from shop.`T-0`'],
  ['select * from shop.xxxx', 'T-0', 'select * from shop.`T-0`'],
  ['select * from `xxxx`', 'T-0', 'select * from `T-0`'],
  ['select * from shop.`xxxx`', 'T-0', 'select * from shop.`T-0`'],
  ["select * from till where tbname = 'xxxx'", 'T-0', "select * from till where tbname = 'T-0'"],
  ['select 1', 't_0', 'select 1'],
  ['select * from xxxx', 'a$&b', 'select * from shop.`a$&b`'],
] as const) {
  test(`makes of ${sql} for ${table}`, (t) => {
    t.is(forChild(sql, 'shop', table), expected);
  });
}
