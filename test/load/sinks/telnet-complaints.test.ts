import test from 'ava';
import fc from 'fast-check';
import { TelnetComplaints } from '../../../src/load/sinks/telnet-tcp.js';

const said = [
  'put: illegal argument: a bad value: put m 1 x',
  'put: illegal argument: 7 more lines',
  'put: refused: Database not exist (lines: 500)',
  '',
].join('\n');

test('rows are counted by line, by number and by batch, however the text is cut', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (lengths) => {
      const complaints = new TelnetComplaints();
      for (let at = 0, turn = 0; at < said.length; turn++) {
        const end = at + (lengths[turn % lengths.length] ?? 1);
        complaints.add(said.slice(at, end));
        at = end;
      }
      t.deepEqual(complaints.take(Number.POSITIVE_INFINITY), {
        rows: 508,
        said: 'put: illegal argument: a bad value: put m 1 x',
      });
    }),
  );
});

test('refused rows are taken off up to a number at a time, with the first complaint', (t) => {
  const complaints = new TelnetComplaints();
  t.deepEqual(complaints.take(10), { rows: 0, said: '' });
  complaints.add('put: refused: No (lines: 12)\nput: refused: Never (lines: 3)\n');
  t.deepEqual(complaints.take(10), { rows: 10, said: 'put: refused: No (lines: 12)' });
  t.deepEqual(complaints.take(10), { rows: 5, said: 'put: refused: No (lines: 12)' });
  complaints.add('put: refused: Later (lines: 1)\n');
  t.deepEqual(complaints.take(10), { rows: 1, said: 'put: refused: Later (lines: 1)' });
});
