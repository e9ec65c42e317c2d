import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRunLog } from '../../../src/load/view/run-log.js';
import { temporaryDirectory } from '../../support/engine/engine.js';

function logged(options: { resultFile?: string; colour?: boolean; debug?: boolean }) {
  const written: [string, string][] = [];
  const log = createRunLog({
    write: (text, stream) => written.push([stream, text]),
    colour: false,
    debug: false,
    resultFile: '',
    now: () => new Date(2024, 2, 9, 11, 22, 33, 444).getTime() + 0.5,
    ...options,
  });
  return { log, written };
}

test('a line has its time and level; warnings and errors go to the error output', (t) => {
  const { log, written } = logged({});
  log.info('one');
  log.done('two');
  log.warn('three');
  log.error('four');
  log.debug('five');
  t.deepEqual(written, [
    ['out', '[03/09 11:22:33.444500] INFO: one\n'],
    ['out', '[03/09 11:22:33.444500] SUCC: two\n'],
    ['error', '[03/09 11:22:33.444500] WARN: three\n'],
    ['error', '[03/09 11:22:33.444500] ERROR: four\n'],
  ]);
});

test('summaries and errors are appended to the result file without colour', (t) => {
  const [path, remove] = temporaryDirectory();
  const resultFile = join(path, 'output.txt');
  writeFileSync(resultFile, 'X\n');
  const { log, written } = logged({ resultFile, colour: true, debug: true });
  log.info('one');
  log.done('two');
  log.debug('three');
  t.is(readFileSync(resultFile, 'utf8'), 'X\n[03/09 11:22:33.444500] SUCC: two\n');
  t.is(written[1]?.[1], '\u001b[32m[03/09 11:22:33.444500] SUCC: two\u001b[0m\n');
  t.is(written.length, 3);
  remove();
});

test('a result file that cannot be written is logged once, and the lines continue', (t) => {
  const { log, written } = logged({ resultFile: '/nowhere/at/all.txt' });
  log.done('one');
  log.done('two');
  t.is(written.length, 3);
  t.regex(written[1]?.[1] ?? '', /ERROR: The result file \/nowhere\/at\/all\.txt cannot be written/);
});
