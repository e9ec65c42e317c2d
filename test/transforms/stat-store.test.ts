import test from 'ava';
import fc from 'fast-check';
import { StatsdReader } from '../../src/transforms/parse/statsd.js';
import { StatStore } from '../../src/transforms/stat-store.js';
import { deleteAll, flushed, statLimits, statsOf, storeOf } from '../support/messages/stat-lines.js';
import { statsRecordings, statsReference } from '../support/recordings.js';
import { spoiltCopies } from '../support/spoilt.js';

test('counters are summed, scaled by their rate, and keep fractions', (t) => {
  t.deepEqual(statsOf('page.hits:4|c|@0.2'), { 'page.hits,metric_type=counter': { value: 20 } });
  t.deepEqual(statsOf('a:1|c|@0.4', 'a:1|c|@0.1', 'a:-2|c'), { 'a,metric_type=counter': { value: 10.5 } });
  t.deepEqual(statsOf('a:1.5|c:0.25|c:-1.5|c:3|c'), { 'a,metric_type=counter': { value: 3.25 } });
  t.deepEqual(statsOf(...Array<string>(10).fill('a:0.5|c')), { 'a,metric_type=counter': { value: 5 } });
  const { value = 0 } = statsOf(...Array<string>(100).fill('a:1|c|@0.6'))['a,metric_type=counter'] ?? {};
  t.true(Math.abs(value - 100 / 0.6) < 1e-9);
  t.deepEqual(statsOf('a:1|c', 'a:2|C|@0.5', 'a:4|m|#x'), {
    'a,metric_type=counter': { value: 5 },
    'a,metric_type=counter,x=true': { value: 4 },
  });
});

test('rates that are written with few digits are what they stand for', (t) => {
  const sixth = statsOf('a:1|c|@0.166667', 'a:2|c|@0.17', 'b:4|ms|@0.166667', 'b:4|ms|@0.016667', 'b:4|ms|@0.3');
  t.is(sixth['a,metric_type=counter']?.value, 6 + 2 / 0.17);
  t.is(sixth['b,metric_type=timing']?.count, 69);
});

test('values of timings and histograms count by their rate, with its fraction', (t) => {
  for (const [kind, type] of [
    ['ms', 'timing'],
    ['h', 'histogram'],
    ['d', 'histogram'],
  ]) {
    const store = storeOf(Array<string>(1_000).fill(`a:3|${kind}|@0.75\na:6|${kind}|@0.75`), [50]);
    const { count, sum = 0, mean = 0 } = flushed(store)[`a,metric_type=${type}`] ?? {};
    t.is(count, 2667);
    t.true(Math.abs(sum - 12_000) < 1e-6);
    t.true(Math.abs(mean - 4.5) < 1e-9);
  }
});

test('gauges with a sign are values where a store is told so', (t) => {
  const store = new StatStore(statLimits, deleteAll, [], false);
  const reader = new StatsdReader();
  for (const text of ['q:7|g', 'q:-2.5|g|#site:a', 'q:-2.5|g|#site:a', 'r:+3|g\nr:+4|g'])
    reader.read(Buffer.from(text), store);
  t.deepEqual(flushed(store), {
    'q,metric_type=gauge': { value: 7 },
    'q,metric_type=gauge,site=a': { value: -2.5 },
    'r,metric_type=gauge': { value: 4 },
  });
});

test('gauges keep the last value and follow signs', (t) => {
  t.deepEqual(statsOf('q:7|g', 'q:-2|g', 'q:+10|g'), { 'q,metric_type=gauge': { value: 15 } });
  t.deepEqual(statsOf('q:7|g\nq:0|g\nq:-7.5|g'), { 'q,metric_type=gauge': { value: -7.5 } });
  t.deepEqual(statsOf('q:7|g|@0.1'), { 'q,metric_type=gauge': { value: 7 } });
});

test('a sign changes the last value of a gauge that was written before, and only that is written', (t) => {
  const store = storeOf(['gd:333|g\nc1:1|c\nc2:1|c\nc3:1|c']);
  const read = (text: string) => new StatsdReader().read(Buffer.from(text), store);
  t.is(Object.keys(flushed(store)).length, 4);
  for (let interval = 0; interval < 3; interval++) t.deepEqual(flushed(store), {});
  t.is(store.size, 1, 'only the gauge stays');
  read('gd:-10|g');
  t.deepEqual(flushed(store), { 'gd,metric_type=gauge': { value: 323 } });
  read('gd:+1.5|g');
  t.deepEqual(flushed(store), { 'gd,metric_type=gauge': { value: 324.5 } });
  read('gd:7|g');
  t.deepEqual(flushed(store), { 'gd,metric_type=gauge': { value: 7 } });
});

test('gauges that no message may change, and those beyond half of the limit, are forgotten', (t) => {
  const text = 'a:1|g\nb:2|g\nc:3|g';
  const read = (store: StatStore) => {
    new StatsdReader().read(Buffer.from(text), store);
    for (let interval = 0; interval < 2; interval++) flushed(store);
    return store.size;
  };
  t.is(read(new StatStore({ ...statLimits, maxKeys: 7 }, deleteAll, [])), 3);
  t.is(read(new StatStore({ ...statLimits, maxKeys: 6 }, deleteAll, [])), 0);
  t.is(read(new StatStore(statLimits, deleteAll, [], false)), 0);
});

test('a StatsD set counts its different texts', (t) => {
  t.deepEqual(statsOf('uid:ann|s', 'uid:bob|s', 'uid:ann|s'), { 'uid,metric_type=set': { value: 2 } });
  t.deepEqual(statsOf('uid:1|s:1.0|s'), { 'uid,metric_type=set': { value: 2 } });
  t.deepEqual(statsOf('uid:2001:db8::1|s:2001:db8::2|s', 'uid:2001:db8::1|s|#a:b'), {
    'uid,metric_type=set': { value: 2 },
    'uid,a=b,metric_type=set': { value: 1 },
  });
});

test('timings and histograms give their statistics, distributions are histograms', (t) => {
  const eight = { mean: 5, stddev: 2, sum: 40, lower: 2, upper: 9, count: 8 };
  t.deepEqual(statsOf('lat:2|ms:4|ms:4|ms:4|ms:5|ms:5|ms:7|ms:9|ms'), { 'lat,metric_type=timing': eight });
  t.deepEqual(statsOf('lat:2:4:4:4|h', 'lat:5:5:7:9|d'), { 'lat,metric_type=histogram': eight });
  const whole = { mean: 3, stddev: 4, sum: 15, lower: 1, upper: 11, count: 5 };
  t.deepEqual(statsOf('lat:1:11:1:1:1|ms'), { 'lat,metric_type=timing': whole });
  const ten = { mean: 3, stddev: 0, sum: 30, lower: 3, upper: 3, count: 10 };
  t.deepEqual(statsOf('lat2:3|ms|@0.1'), { 'lat2,metric_type=timing': ten });
});

test('the deviation of large values that differ little is exact enough', (t) => {
  const { stddev = 0 } =
    statsOf('a:1000000004|ms:1000000007|ms:1000000013|ms:1000000016|ms')['a,metric_type=timing'] ?? {};
  t.true(Math.abs(stddev - Math.sqrt(22.5)) < 1e-6);
});

test('percentiles are nearest ranks, and only of timings', (t) => {
  const store = storeOf([Array.from({ length: 20 }, (_, i) => `a:${20 - i}|ms`).join('\n'), 'b:1|c'], [50, 95, 99.9]);
  const rows = flushed(store);
  t.like(rows['a,metric_type=timing'], { '50_percentile': 10, '95_percentile': 19, '99.9_percentile': 20, count: 20 });
  t.deepEqual(rows['b,metric_type=counter'], { value: 1 });
});

test('percentiles of very many values come from a sample that stays small', (t) => {
  const texts = Array.from({ length: 100 }, (_, i) =>
    Array.from({ length: 200 }, (_, k) => `a:${i * 200 + k}|h`).join('\n'),
  );
  const { '50_percentile': median = 0, count } = flushed(storeOf(texts, [50]))['a,metric_type=histogram'] ?? {};
  t.is(count, 20_000);
  t.true(median > 7_000 && median < 13_000);
});

test('names and tags become a series: sorted, escaped, in either form', (t) => {
  const one = 'web,env=prod,metric_type=counter,region=eu,solo=true';
  t.deepEqual(statsOf('web,region=eu,env=prod,solo=true:1|c', 'web:2|c|#solo,env:prod,region:eu'), {
    [one]: { value: 3 },
  });
  t.deepEqual(statsOf('a b:1|c|#k:x y,e:,:v,q:1=2'), {
    'a_b,:v=true,k=x\\ y,metric_type=counter,q=1\\=2': { value: 1 },
  });
  t.deepEqual(Object.keys(statsOf('a:1|c|#k:x,#q:#y,#on')), ['a,k=x,metric_type=counter,on=true,q=#y']);
  t.deepEqual(Object.keys(statsOf('a\\:1|c|#k:v\\,m:\\')), ['a_,k=v_,m=_,metric_type=counter']);
  t.deepEqual(Object.keys(statsOf('a:1|c|#value:3,metric_type:x,9_percentile:1')), [
    'a,metric_type=counter,tag_9_percentile=1,tag_metric_type=x,tag_value=3',
  ]);
  t.deepEqual(Object.keys(statsOf('#a:1|c|#_ts:3')), ['_a,metric_type=counter,tag__ts=3']);
});

test('white space in a name is an underscore, and names that differ stay apart', (t) => {
  const names = ['my service a', 'my service b', 'G1\tEden', 'G1\u00a0Old', 'G1\u3000Gen', 'x y,host=a', 'x z,host=a'];
  for (const [kind, type] of [
    ['c', 'counter'],
    ['g', 'gauge'],
    ['s', 'set'],
  ]) {
    t.deepEqual(
      Object.keys(statsOf(...names.map((name) => `${name}:1|${kind}`))),
      ['my_service_a', 'my_service_b', 'G1_Eden', 'G1_Old', 'G1_Gen', 'x_y,host=a', 'x_z,host=a'].map(
        (name) => `${name},metric_type=${type}`,
      ),
    );
  }
});

test('items behind a comma that are no tags are a part of the name', (t) => {
  const names = ['Doe,John', 'Doe,Jane', 'Map<A,B>.n', 'Map<A,C>.n', 'a,k=v,b', 'a;k=v;b', 'a,=b', 'a,k='];
  t.deepEqual(
    Object.keys(statsOf(...names.map((name) => `${name}:1|c`))),
    ['Doe\\,John', 'Doe\\,Jane', 'Map<A\\,B>.n', 'Map<A\\,C>.n', 'a\\,b,k=v', 'a;b,k=v', 'a\\,=b', 'a'].map((name) =>
      name.replace(/(,k=v)?$/, (tags) => `${tags === '' ? '' : tags},metric_type=counter`),
    ),
  );
});

test('of names and tags that would become one series the first is taken, and the other is refused by name', (t) => {
  const cases = [
    ['my a:1|c', 'my_a:2|c', /^line "my_a:2\|c" would become one series with "my a"$/],
    ['my_a:1|c', 'my a:2|c', /^line "my a:2\|c" would become one series with "my_a,metric_type=counter"$/],
    ['my a:1|c', 'my\ta:2|c', /would become one series with "my a"$/],
    ['#a:1|c', '_a:2|c', /would become one series with "#a"$/],
    ['a:1|c|#value:3', 'a:2|c|#tag_value:3', /would become one series with "a,value=3"$/],
    ['b:1|c', 'a:2|c|#tag_value:3,value:3', /has two tags "tag_value"$/],
  ] as const;
  for (const [first, second, reason] of cases) {
    const store = storeOf([]);
    const reader = new StatsdReader();
    for (let interval = 0; interval < 2; interval++) {
      reader.read(Buffer.from(`${first}\n${second}\n${first}`), store);
      t.is(reader.messages, 2, second);
      t.regex(reader.rejects[0]?.fault.message ?? '', reason);
      t.deepEqual(Object.values(flushed(store)), [{ value: 2 }]);
    }
  }
});

test('tags may stand in the bucket as Librato, Graphite and SignalFx write them', (t) => {
  const tagged = [
    'web.hits#env=prod,on=a=b',
    'web.hits;env=prod;on=a=b',
    'web.[env=prod,on=a=b]hits',
    '[env=prod,on=a=b]web.hits',
  ];
  const series = 'web.hits,env=prod,metric_type=counter,on=a\\=b';
  t.deepEqual(statsOf(...tagged.map((bucket) => `${bucket}:1|c`)), { [series]: { value: 4 } });
  const plain = ['a#b', 'a#b,c', 'a;b', 'a[0]', 'a[b', 'a[]'];
  t.deepEqual(
    Object.keys(statsOf(...plain.map((bucket) => `${bucket}:1|c`))),
    ['a#b', 'a#b\\,c', 'a;b', 'a[0]', 'a[b', 'a[]'].map((name) => `${name},metric_type=counter`),
  );
  for (const bracket of ['[', '[a=', '#', '#a', ';']) t.deepEqual(statsOf(`${bracket.repeat(30_000)}:1|c`), {});
});

test('a message with a time of its own is a row of that time, whatever is deleted', (t) => {
  const store = storeOf(
    [
      'a:1|c|T1700000001\na:2|c|#k:v|T1700000001\na:4|c|T1700000001\na:8|c|T1700000002\na:112|c',
      'q:5|g|T1700000001\nq:+1|g|T1700000001',
    ],
    [],
    [false, false, false, false, false],
  );
  const lines = () => [...store.flush(7n, 65_536)].map(({ bytes }) => bytes.toString()).join('');
  t.deepEqual(lines().trimEnd().split('\n'), [
    'a,metric_type=counter value=5 1700000001000000',
    'a,k=v,metric_type=counter value=2 1700000001000000',
    'a,metric_type=counter value=8 1700000002000000',
    'a,metric_type=counter value=112 7',
    'q,metric_type=gauge value=6 1700000001000000',
  ]);
  t.is(lines(), 'a,metric_type=counter value=112 7\n');
});

test('one name used in two ways is two series, and neither loses a value', (t) => {
  t.deepEqual(statsOf('x:1|c', 'x:2.5|g', 'x:a|s'), {
    'x,metric_type=counter': { value: 1 },
    'x,metric_type=gauge': { value: 2.5 },
    'x,metric_type=set': { value: 1 },
  });
});

test('kinds that are deleted begin anew, the others go on', (t) => {
  const text = 'c:1|c\ng:5|g\ns:a|s\nt:2|ms\nh:2|h';
  const deleting = storeOf([text]);
  t.is(Object.keys(flushed(deleting)).length, 5);
  t.deepEqual(flushed(deleting), {});
  new StatsdReader().read(Buffer.from('g:+3|g'), deleting);
  t.deepEqual(flushed(deleting), { 'g,metric_type=gauge': { value: 8 } });

  const keeping = storeOf([text], [], [false, false, false, false, false]);
  const first = flushed(keeping);
  t.deepEqual(flushed(keeping), first);
  new StatsdReader().read(Buffer.from('c:2|c\ng:+3|g\ns:b|s\nt:4|ms'), keeping);
  const later = flushed(keeping);
  t.is(later['c,metric_type=counter']?.value, 3);
  t.is(later['g,metric_type=gauge']?.value, 8);
  t.is(later['s,metric_type=set']?.value, 2);
  t.like(later['t,metric_type=timing'], { count: 2, mean: 3 });
});

test('no more series and set values are kept than allowed, and what is idle makes room', (t) => {
  const store = new StatStore({ maxKeys: 3, maxKeyBytes: 1024, maxSetValues: 2 }, deleteAll, []);
  const reader = new StatsdReader();
  const read = (text: string) => reader.read(Buffer.from(text), store);
  read('a:1|c\nb:1|c\nu:1|s:2|s:3|s');
  t.is(reader.rejectedLines, 1);
  read('d:1|c');
  t.regex(reader.rejects[0]?.fault.message ?? '', /one series more than the 3/);
  t.deepEqual(flushed(store)['u,metric_type=set'], { value: 2 });
  read('a:1|c');
  flushed(store);
  t.is(store.size, 1);
  read('d:1|c\nu:9|s\na:5|c');
  t.is(reader.rejectedLines, 0);
  t.deepEqual(flushed(store), {
    'a,metric_type=counter': { value: 5 },
    'd,metric_type=counter': { value: 1 },
    'u,metric_type=set': { value: 1 },
  });
});

test('idle series are forgotten once they are half of all, and the others keep what they hold', (t) => {
  const store = storeOf(['c1:1|c\nc2:1|c\ng:5|g\ns:a|s\nt:2:4|ms'], [50], [true, false, false, false, false]);
  const { 'c1,metric_type=counter': c1, 'c2,metric_type=counter': c2, ...kept } = flushed(store);
  t.deepEqual([c1, c2], [{ value: 1 }, { value: 1 }]);
  t.deepEqual(flushed(store), kept);
  t.is(store.size, 5);
  const read = (text: string) => new StatsdReader().read(Buffer.from(text), store);
  read('c3:1|c\nc4:1|c');
  flushed(store);
  read('w:1|c|T1600000000');
  flushed(store);
  t.is(store.size, 4);
  t.deepEqual(flushed(store), kept);
  read('w:2|c|T1600000000');
  const [block] = store.flush(1n, 65_536);
  t.regex(Buffer.from(block?.bytes ?? []).toString(), /^w,metric_type=counter value=2 1600000000000000$/m);
});

test('a flush in pieces loses nothing of what comes in between', (t) => {
  const names = Array.from({ length: 500 }, (_, i) => `counter.${i}`);
  const text = Buffer.from(names.map((name) => `${name}:1|c\n`).join(''));
  const store = storeOf([text]);
  const reader = new StatsdReader();
  let sum = 0;
  const add = (block: Buffer): void => {
    for (const [, value] of block.toString().matchAll(/ value=(\d+) /g)) sum += Number(value);
  };
  for (const { bytes, rows } of store.flush(1n, 2_000)) {
    t.true(bytes.length <= 2_000 && rows > 0);
    add(Buffer.from(bytes));
    if (sum < 3_000) reader.read(text, store);
  }
  for (const { bytes } of store.flush(2n, 2_000)) add(Buffer.from(bytes));
  t.is(sum % 500, 0);
  t.true(sum >= 1_000);
  const { bytes } = store.flush(3n, 2_000).next().value ?? { bytes: Buffer.alloc(0) };
  t.is(bytes.length, 0);
});

test('sums do not depend on how the messages are spread over texts', (t) => {
  const message = fc.tuple(
    fc.constantFrom('a', 'b.c', 'd,k=v'),
    fc.integer({ min: -1000, max: 1000 }),
    fc.constantFrom('c', 'g'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(message, fc.boolean()), { minLength: 1 }), (messages) => {
      const lines = messages.map(([[name, value, kind]]) => `${name}:${value}|${kind}`);
      const texts: string[] = [''];
      for (const [i, line] of lines.entries()) {
        texts[texts.length - 1] += `${line}\n`;
        if (messages[i]?.[1]) texts.push('');
      }
      t.deepEqual(statsOf(...texts), statsOf(lines.join('\n')));
    }),
  );
});

test('one interval of all recorded datagrams gives what the reference daemon reported', (t) => {
  const rows = statsOf(
    ...statsRecordings()
      .filter(({ transport }) => transport === 'udp')
      .map(({ payload }) => payload),
  );
  const reference = statsReference();
  const isPlain = ([name]: readonly [string, unknown]): boolean => !name.includes(';') && !name.startsWith('tg.');
  let compared = 0;
  for (const [name, value] of Object.entries(reference.counters).filter(isPlain)) {
    const counter = rows[`${name},metric_type=counter`]?.value;
    // The daemon counts histograms and distributions.
    const sum = counter ?? rows[`${name},metric_type=histogram`]?.sum ?? Number.NaN;
    // A rate such as 0.999999 counts as the 1 that it stands for.
    t.true(Math.abs(sum - value) <= Math.abs(value) * 1e-4, name);
    compared++;
  }
  for (const [name, value] of Object.entries(reference.gauges).filter(isPlain)) {
    t.is(rows[`${name},metric_type=gauge`]?.value, value, name);
    compared++;
  }
  for (const [name, values] of Object.entries(reference.timers).filter(isPlain)) {
    const [count, sum] = [values.length, values.reduce((a, b) => a + b, 0)];
    const [lower, upper] = [Math.min(...values), Math.max(...values)];
    t.like(rows[`${name},metric_type=timing`], { count, sum, lower, upper }, name);
    compared++;
  }
  for (const [name, values] of Object.entries(reference.sets).filter(isPlain)) {
    t.is(rows[`${name},metric_type=set`]?.value, values.length, name);
    compared++;
  }
  t.is(compared, 56);
});

test('random packets never break a store or grow it beyond its limits', (t) => {
  const store = new StatStore({ ...statLimits, maxKeys: 50, maxSetValues: 50 }, deleteAll, [90]);
  const reader = new StatsdReader();
  const good = Buffer.from('good:1|c\n');
  const seed = Buffer.from('page.hits,k=v:4|c|@0.2|#env:prod\nuid:ann|s\nlat:2|ms:4|ms\nq:-2.5e1|g');
  for (const packet of spoiltCopies(seed, 10_000)) {
    reader.read(packet, store);
    reader.read(good, store);
  }
  t.true(store.size <= 51);
  t.is(flushed(store)['good,metric_type=counter']?.value, 10_000);
});
