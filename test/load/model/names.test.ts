import test from 'ava';
import { sqlName, storedName } from '../../../src/load/model/names.js';

test('names are stored as the dialect folds them', (t) => {
  t.is(storedName('Meters_1', false), 'meters_1');
  t.is(storedName('Meters_1', true), 'Meters_1');
  t.is(storedName('1Meters', false), '1Meters');
  t.is(storedName('größe', false), 'größe');
});

test('stored names are quoted where they would be folded or are no words', (t) => {
  t.is(sqlName('meters_1', false), 'meters_1');
  t.is(sqlName('meters_1', true), '`meters_1`');
  t.is(sqlName('Meters', false), '`Meters`');
  t.is(sqlName('a-b.c', false), '`a-b.c`');
  t.is(sqlName('1m', false), '`1m`');
});
