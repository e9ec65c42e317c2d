import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import test from 'ava';
import type { WorkFigures } from '../../../src/load/model/ports.js';
import { createLiveView, Pace } from '../../../src/load/view/live-view.js';
import { until } from '../../support/until.js';

/** A stream that says it is a terminal, or not, and keeps what is written. */
function screen(isTerminal: boolean): { stream: NodeJS.WriteStream; written: () => string } {
  const through = new PassThrough();
  let written = '';
  through.setEncoding('utf8').on('data', (piece: string) => {
    written += piece;
  });
  const stream = Object.assign(Object.create(WriteStream.prototype), {
    isTTY: isTerminal,
    columns: 80,
    write: (text: string) => through.write(text),
  });
  return { stream, written: () => written };
}

const figures = (): WorkFigures => ({ done: 2_500_000, failed: 3 });
const work = { label: 'inserting into test.meters', unit: 'rows', total: 10_000_000, read: figures };

test('elsewhere than on a terminal a line tells from time to time how far the work is', async (t) => {
  const { stream, written } = screen(false);
  const lines: string[] = [];
  const view = createLiveView({ stream, errors: stream, line: (text) => lines.push(text), lineIntervalMs: 5 });
  const done = view.watch(work);
  await until(() => lines.length > 1);
  done();
  t.regex(
    lines[0] ?? '',
    /^inserting into test\.meters: 2,500,000 of 10,000,000 \(25\.0 %\) rows, 0 rows\/s, 3 failed$/,
  );
  view.write('a line\n', 'out');
  await until(() => written() !== '');
  t.is(written(), 'a line\n');
});

test('on a terminal a bar stands below the lines and is gone at the end', async (t) => {
  const { stream, written } = screen(true);
  const view = createLiveView({ stream, errors: stream, line: () => t.fail() });
  const done = view.watch(work);
  await until(() => written().includes('25.0 % of 10M rows, 0/s, 3 failed'));
  t.true(written().includes('inserting into test.meters [==='));
  view.write('a line\n', 'error');
  await until(() => written().includes('a line\n'));
  done();
  await until(() => written().endsWith('\r\u001b[K'));
  const after = written().length;
  view.write('another\n', 'out');
  await until(() => written().length > after);
  t.true(written().endsWith('another\n'));
});

test('a bar fits the terminal: it gets shorter, then the label, and the words about the work stay whole', async (t) => {
  const status = '25.0 % of 10M rows, 0/s, 3 failed';
  const label = 'inserting into a_database_with_a_long_name.meters';
  for (const [columns, shown] of [
    [120, `${label} [===---------] ${status}`],
    [94, `${label} [==-----] ${status}`],
    [85, `${label}: ${status}`],
    [60, `inserting into a_databa…: ${status}`],
  ] as const) {
    const { stream, written } = screen(true);
    Object.assign(stream, { columns });
    const done = createLiveView({ stream, errors: stream, line: () => t.fail() }).watch({ ...work, label });
    await until(() => written().includes(status));
    done();
    const [, bar = ''] = written().split('\r\u001b[K');
    t.is(bar, shown);
    t.true(bar.length < columns);
  }
});

test('the rate is that of the last seconds', (t) => {
  let now = 0;
  const pace = new Pace(() => now);
  t.is(pace.rate(0), 0);
  now = 1000;
  t.is(pace.rate(500), 500);
  now = 20_000;
  pace.rate(1000);
  now = 26_000;
  t.is(pace.rate(7000), 1000);
});
