import test from 'ava';
import { flags, rowsAt, settings } from '../../../../src/load/settings/keys/rows.js';
import { flagGroups, type Level, levels } from '../../../../src/load/settings/keys/setting.js';

function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}

test('no two settings of one object of a file have a key in common, whatever its case', (t) => {
  for (const level of Object.keys(levels) as Level[]) {
    const keys = rowsAt(level).flatMap((row) => row.keys);
    t.true(keys.length > 0, level);
    t.deepEqual(repeated(keys.map((key) => key.toLowerCase())), [], level);
  }
});

test('no two arguments have a name in common, and each is in a group of the help text', (t) => {
  t.deepEqual(repeated(flags.flatMap(({ long, also }) => [long, ...also])), []);
  t.deepEqual(repeated(flags.flatMap(({ short }) => short ?? [])), []);
  for (const { group, long } of flags) t.true(group in flagGroups, long);
});

test('every setting has a key or an argument, and a default within its range', (t) => {
  for (const { keys, flag, range, default: value, help } of settings) {
    t.true(keys.length > 0 || flag !== undefined, help);
    const [min, max] = [range?.[0] ?? -Infinity, range?.[1] ?? Infinity];
    // Ranges of pauses are in seconds, and their values in milliseconds.
    if (typeof value === 'number') t.true(value >= min && value <= 1000 * max, keys[0]);
  }
});
