import test from 'ava';
import { release, version, versionOf } from '../../src/model/version.js';

test('every release has a version of four numbers that connectors take, and a later one has a higher one', (t) => {
  t.is(version, versionOf(release));
  const releases = ['4.0.0', '4.0.1', '4.0.12', '4.1.0', '4.10.2', '5.0.0', '12.0.0'];
  const last = releases.map((text) => {
    const four = versionOf(text);
    t.regex(four, /^3\.4\.0\.\d+$/);
    return Number(four.split('.')[3]);
  });
  t.deepEqual(
    last,
    last.toSorted((a, b) => a - b),
  );
  t.is(new Set(last).size, releases.length);
  for (const bad of ['4.0', '4.0.0-rc1', '4.100.0', 'x']) t.throws(() => versionOf(bad), { message: /no release/ });
});
