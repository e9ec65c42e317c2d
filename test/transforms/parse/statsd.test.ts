import test from 'ava';
import fc from 'fast-check';
import { StatKind, StatsdReader } from '../../../src/transforms/parse/statsd.js';
import { maxDetailedRejects } from '../../../src/transforms/points/point-limits.js';
import { statsRecordings } from '../../support/recordings.js';

const kindNames = ['c', 'g', 's', 'ms', 'h'];

/** Messages of a text: bucket, kind, value, rate other than 1 and tags after the value. */
function messagesOf(text: string | Uint8Array): { messages: string[]; reader: StatsdReader } {
  const messages: string[] = [];
  const reader = new StatsdReader();
  const bytes = Buffer.from(text);
  reader.read(bytes, {
    take: (message) => {
      const bucket = bytes.toString('utf8', message.bucketStart, message.bucketEnd);
      const set = message.kind === StatKind.set;
      const sign = message.isSigned && message.value >= 0 ? '+' : '';
      const value = set ? bytes.toString('utf8', message.valueStart, message.valueEnd) : `${sign}${message.value}`;
      const rate = message.rate === 1 ? '' : `@${message.rate}`;
      const tags = bytes.toString('utf8', message.tagsStart, message.tagsEnd);
      messages.push(`${bucket} ${kindNames[message.kind]} ${value}${rate}${tags === '' ? '' : ` #${tags}`}`);
      return undefined;
    },
  });
  return { messages, reader };
}

function read(text: string): string[] {
  return messagesOf(text).messages;
}

test('reads value, type, rate and tags of a message', (t) => {
  t.deepEqual(read('page.hits:4|c|@0.2'), ['page.hits c 4@0.2']);
  t.deepEqual(read('q:7|g\nq:-2|g\r\n\nq:+10|g\n'), ['q g 7', 'q g -2', 'q g +10']);
  t.deepEqual(read('web,region=eu:1|c'), ['web,region=eu c 1']);
  t.deepEqual(read('a:5|ms|@0.5|#env:prod,at:10:30'), ['a ms 5@0.5 #env:prod,at:10:30']);
  t.deepEqual(read('a:5|d|#t:1|@0.25'), ['a h 5@0.25 #t:1']);
  t.deepEqual(read('u:any text/1|s'), ['u s any text/1']);
  t.deepEqual(read('lag:-2.5|d\nlag:+1:-1|h'), ['lag h -2.5', 'lag h +1', 'lag h -1']);
});

test('reads several values and several bits of one line', (t) => {
  t.deepEqual(read('m:1|c:2|g:3|ms|@0.5:4|h'), ['m c 1', 'm g 2', 'm ms 3@0.5', 'm h 4']);
  t.deepEqual(read('m:1:2.5:3|d|#k:v'), ['m h 1 #k:v', 'm h 2.5 #k:v', 'm h 3 #k:v']);
});

test('a bad bit ends its line, and the bits before it and other lines stay', (t) => {
  const { messages, reader } = messagesOf('multi:1|c:2|c:bad\nnext:1|c');
  t.deepEqual(messages, ['multi c 1', 'multi c 2', 'next c 1']);
  t.is(reader.rejectedLines, 1);
  t.is(reader.rejects[0]?.row, 0);
  t.is(reader.messages, 3);
});

test('what is wrong with a line is said', (t) => {
  const cases: Record<string, RegExp> = {
    x1: /"x1" has no colon/,
    'x:1': /no type/,
    'x:1|zz': /type that is not known/,
    'x:+3|ms': /sign/,
    'x:-3|ms': /sign/,
    'x:|c': /no value/,
    'x:abc|g': /not a number/,
    'x:nan|g': /not a number/,
    'x:inf|c': /not a number/,
    'x:1e999|g': /out of range/,
    'x:1|c|@[object Object]': /white space in its sample rate/,
    'x:1|c|T99999999999': /time that is not in whole seconds/,
    'x:1|c|T1700000000.5': /time that is not in whole seconds/,
    'x:1|c|T-5': /time that is not in whole seconds/,
    'x:1|c|T0': /time that is not in whole seconds/,
    'x:1|g|#a:b|Tx|@0.5': /time that is not in whole seconds/,
  };
  for (const [text, reason] of Object.entries(cases)) {
    const { messages, reader } = messagesOf(text);
    t.deepEqual(messages, [], text);
    t.regex(reader.rejects[0]?.fault.message ?? '', reason);
  }
});

test('a rate that is none, or not above 0 and at most 1, is left out of account', (t) => {
  for (const rate of ['0.1', '@x', '@', '@0', '@-1', '@2', '@nan', ''])
    t.deepEqual(read(`r:45|c|${rate}`), ['r c 45'], rate);
});

test('events, service checks and the container of a sender are no metrics and no errors', (t) => {
  const { messages, reader } = messagesOf(
    '_e{9,18}:hs.deploy|new|p:low\n_sc|hs.svc|0|m:fine\na:1|c|c:ci-1:2|#t:1\n_x:1|c',
  );
  t.deepEqual(messages, ['a c 1 #t:1', '_x c 1']);
  t.is(reader.ignoredLines, 2);
  t.is(reader.rejectedLines, 0);
});

test('what else a message says of its sender is passed over', (t) => {
  const { messages, reader } = messagesOf(
    'a:1|c|#t:1|card:low\nb:2:3|g|T1700000000|e:it-false,cn-web:1|card:none|@0.5\nc:4|c|card:low|c:in-7:5\nd:6|c|card:x|:7|g',
  );
  t.deepEqual(messages, ['a c 1 #t:1', 'b g 2@0.5', 'b g 3@0.5', 'c c 4', 'd c 6', 'd g 7']);
  t.is(reader.rejectedLines, 0);
});

test('payloads of real clients mean what their recordings say', (t) => {
  const samples = statsRecordings();
  t.is(samples.length, 86);
  for (const { payload, metrics } of samples) {
    const expected = metrics.map((metric) => {
      const tags = Object.entries(metric.bucket_tags).map(([key, value]) => `,${key}=${value}`);
      const type = metric.type === 'd' ? 'h' : metric.type;
      const number = /^[+]/.test(metric.value) ? `+${Number(metric.value)}` : String(Number(metric.value));
      const rate = metric.sample_rate === null || metric.sample_rate === 1 ? '' : `@${metric.sample_rate}`;
      const suffix = metric.hash_tags === null ? '' : ` #${metric.hash_tags.join(',')}`;
      return `${metric.name}${tags.join('')} ${type} ${type === 's' ? metric.value : number}${rate}${suffix}`;
    });
    t.deepEqual(read(payload), expected, payload);
  }
});

test('whatever comes, reading ends, counts every line and describes few', (t) => {
  const piece = fc.constantFrom(
    ':',
    '|',
    '@',
    '#',
    'c',
    'ms',
    'g',
    '1',
    '-',
    '.5',
    ',k=v',
    'name',
    '\n',
    ' ',
    '_e{',
    '\xff',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const bytes = Buffer.from(pieces.join(''), 'latin1');
      const { reader } = messagesOf(bytes);
      const breaks = pieces.filter((text) => text === '\n').length;
      t.is(reader.lines, breaks + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0));
      t.true(reader.rejectedLines <= reader.lines);
    }),
  );
  const { reader } = messagesOf('bad\n'.repeat(1000));
  t.is(reader.rejectedLines, 1000);
  t.is(reader.rejects.length, maxDetailedRejects);
});
