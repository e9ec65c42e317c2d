import { execFileSync } from 'node:child_process';
import test from 'ava';

const flags = new URL('../../src/process/runtime-flags.js', import.meta.url).href;

/** More than V8 begins with, and less than it grows to by itself. */
const smallBytes = 8 * 1024 * 1024;

/** Bytes of the young generation of a process that sets the flags and makes objects of which the last 100,000 and some others stay. */
function youngestBytes(others: number): number {
  const program = `
    import { setImmediate as turn } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    (await import(${JSON.stringify(flags)})).setRuntimeFlags();
    const bytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
    const some = (count) => Array.from({ length: count }, (_, index) => ({ index, name: 'row ' + index }));
    const others = some(${others});
    const last = [];
    for (let round = 0; round < 200 && bytes() <= ${smallBytes}; round++) {
      last[round % 5] = some(20_000);
      await turn();
    }
    console.log(bytes(), others.length);
  `;
  return Number.parseInt(execFileSync(process.execPath, ['--input-type=module', '--eval', program]).toString(), 10);
}

test('the young generation stays small in a small heap and grows in a large one', (t) => {
  const [small, large] = [youngestBytes(0), youngestBytes(1_500_000)];
  t.true(small <= smallBytes, `${small}`);
  t.true(large > smallBytes, `${large}`);
});
