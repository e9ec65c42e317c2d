import test from 'ava';
import fc from 'fast-check';
import { openPacket } from '../../../src/transforms/open-packets.js';
import { AgentPart, parseAgentPackets, parseTypesDatabase } from '../../../src/transforms/parse/agentd.js';
import type { ParseOptions } from '../../../src/transforms/points/parse-options.js';
import {
  type AgentNumber,
  blockOf,
  packetOf,
  part,
  textPart,
  type ValueList,
  valuesPart,
} from '../../support/messages/agent-packets.js';
import { LineProtocolDesk, nowTicks, type ReadRow } from '../../support/messages/line-protocol.js';
import { agentRecordings } from '../../support/recordings.js';
import { spoiltCopies } from '../../support/spoilt.js';

function readAll(packets: readonly Uint8Array[], more: Partial<ParseOptions> = {}, desk = new LineProtocolDesk()) {
  const parsed = parseAgentPackets(blockOf(packets), desk.options(more));
  return { rows: desk.rows(parsed), reasons: parsed.rejects.map(({ fault }) => fault.message), parsed };
}

/** Rows as `table host/instance/type/type_instance value @time`. */
function shown(rows: readonly ReadRow[]): string[] {
  return rows.map(({ table, tags, fields, time }) => {
    const { host = '', instance = '', type = '', type_instance: typeInstance = '' } = tags;
    return `${table} ${host}/${instance}/${type}/${typeInstance} ${fields.value?.value} @${time}`;
  });
}

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');
const load = hex(`000000076831000001000c000000006553f100000200096c6f616400000400096c6f6164000006
  00210003010101000000000000e03f000000000000d03f000000000000c03f`);
const cpu =
  hex(`0000000a6564676537000008000c1954fc4020000000000200086370750000030006300000040008637075000005000969646c6500
  0006000f0001020000000000013e5c`);

test('each value of a list is a point of its own', (t) => {
  const { rows } = readAll([load]);
  t.deepEqual(shown(rows), [
    'load_0 h1//load/ 0.5 @1700000000000000000',
    'load_1 h1//load/ 0.25 @1700000000000000000',
    'load_2 h1//load/ 0.125 @1700000000000000000',
  ]);
  t.is(rows[0]?.subTable, 't_552019e39d9f5ffb4525a10786bafd26');
});

test('a single value, with a time of high resolution and all names', (t) => {
  const { rows } = readAll([cpu]);
  t.deepEqual(shown(rows), ['cpu_value edge7/0/cpu/idle 81500 @1700000000500000000']);
  t.is(rows[0]?.subTable, 't_c3d3c0053f175d41aafb8f6840aafa1a');
});

test('a types database gives the values their names', (t) => {
  const text =
    '# comment\nload  shortterm:GAUGE:0:5000, midterm:GAUGE:0:5000, longterm:GAUGE:0:5000,\r\n\nbroken\nbad a, b:GAUGE:0:U\ncpu value:DERIVE:0:U # per core\n';
  const dataSourceNames = parseTypesDatabase(text);
  t.is(dataSourceNames.size, 2);
  const { rows } = readAll([load, cpu], { dataSourceNames });
  t.deepEqual(rows.map(({ table }) => table).sort(), ['cpu_value', 'load_longterm', 'load_midterm', 'load_shortterm']);
});

test('a plug-in whose name ends like the beginning of the value of another one has series of its own', (t) => {
  const dataSourceNames = new Map([['t', ['c', 'b_c', 'value']]]);
  const list = { host: 'h', type: 't', time: 1_700_000_000n };
  const values: AgentNumber[] = [
    ['gauge', 1],
    ['gauge', 2],
    ['gauge', 3],
  ];
  const { rows, reasons } = readAll(
    [
      packetOf([
        { ...list, plugin: 'a_b', values },
        { ...list, plugin: 'a', values },
      ]),
    ],
    {
      dataSourceNames,
    },
  );
  t.deepEqual(reasons, []);
  const of = rows.filter(({ table }) => table === 'a_b_c');
  t.deepEqual(of.map(({ tags, fields }) => `${tags.plugin ?? '-'} ${fields.value?.value}`).sort(), ['- 1', 'a 2']);
  t.is(new Set(of.map(({ subTable }) => subTable)).size, 2);
});

test('all kinds of values are read: unsigned, double, signed, unsigned', (t) => {
  const values: AgentNumber[] = [
    ['counter', 18446744073709551615n],
    ['gauge', -1.5],
    ['derive', -77n],
    ['absolute', 9n],
  ];
  const { rows } = readAll([packetOf([{ host: 'h', plugin: 'p', type: 't', values }])]);
  t.deepEqual(shown(rows), [
    `p_0 h//t/ 18446744073709552000 @${nowTicks}`,
    `p_1 h//t/ -1.5 @${nowTicks}`,
    `p_2 h//t/ -77 @${nowTicks}`,
    `p_3 h//t/ 9 @${nowTicks}`,
  ]);
});

test('a gauge that is not a number is no row, an infinite one is', (t) => {
  const list = (value: number): ValueList => ({ host: 'h', plugin: 'p', type: 't', values: [['gauge', value]] });
  const { rows, parsed } = readAll([packetOf([list(Number.NaN), list(Infinity), list(1)])]);
  t.deepEqual(
    rows.map(({ fields }) => fields.value?.value),
    [Infinity, 1],
  );
  t.is(parsed.rejectedRows, 0);
});

test('names hold until they change, and not beyond their packet', (t) => {
  const one = packetOf([
    { host: 'h', plugin: 'p', type: 't', typeInstance: 'a', time: 5n, values: [['gauge', 1]] },
    { host: 'h', plugin: 'p', type: 't', typeInstance: '', time: 6n, values: [['gauge', 2]] },
  ]);
  const { rows, reasons } = readAll([one, valuesPart([['gauge', 3]])]);
  t.deepEqual(shown(rows), ['p_value h//t/a 1 @5000000000', 'p_value h//t/ 2 @6000000000']);
  t.deepEqual(reasons, ['packet: a list of values has no plugin']);
});

test('a time of 0 is left to the service, also after a time that was bad', (t) => {
  const lists = (unit: bigint): ValueList[] =>
    [0n, 7n, 0n].map((time, i) => ({
      host: 'h',
      plugin: 'p',
      type: `t${i}`,
      time: time * unit,
      values: [['gauge', i]],
    }));
  const whole = packetOf(lists(1n));
  const high = packetOf(lists(1n << 30n).map((list) => ({ ...list, isHigh: true })));
  const { rows, reasons } = readAll([whole, Buffer.concat([part(AgentPart.time, hex('00')), high])]);
  const times = [nowTicks, 7_000_000_000n, nowTicks];
  const expected = times.map((time, i) => `p_value h//t${i}/ ${i} @${time}`);
  t.deepEqual(shown(rows), [...expected, ...expected]);
  t.deepEqual(reasons, ['packet: a time does not have 8 bytes']);
});

test('a bad part costs what depends on it and nothing else', (t) => {
  const good = packetOf([{ host: 'h', plugin: 'p', type: 't', values: [['gauge', 1]] }]);
  const reasonsOf = (...packets: Uint8Array[]): string[] => {
    const { rows, reasons } = readAll([...packets, good]);
    t.is(shown(rows).at(-1), `p_value h//t/ 1 @${nowTicks}`);
    return reasons;
  };
  t.regex(reasonsOf(Buffer.concat([good, Buffer.from([0, 0, 0])]))[0] ?? '', /byte \d+: a part is shorter or longer/);
  t.regex(reasonsOf(Buffer.concat([good, hex('00060003')]))[0] ?? '', /a part is shorter or longer/);
  t.regex(reasonsOf(part(AgentPart.host, Buffer.from('no end')))[0] ?? '', /does not end in NUL/);
  t.regex(reasonsOf(part(AgentPart.host, Buffer.from([0xff, 0])))[0] ?? '', /well-formed UTF-8/);
  t.regex(reasonsOf(Buffer.concat([good, part(AgentPart.values, hex('0002 01'))]))[0] ?? '', /another length/);
  t.regex(reasonsOf(Buffer.concat([good, part(AgentPart.values, hex('0001 07 0000000000000000'))]))[0] ?? '', /kind 7/);
  t.regex(reasonsOf(part(AgentPart.time, hex('00')))[0] ?? '', /does not have 8 bytes/);
  t.deepEqual(reasonsOf(part(AgentPart.message, Buffer.from('notice\0')), part(0x7777, hex('00'))), []);
});

test('a value list after a bad name is lost, and one after the name was said again is not', (t) => {
  const packet = Buffer.concat([
    packetOf([{ host: 'h', plugin: 'p', type: 't', values: [['gauge', 1]] }]),
    part(AgentPart.plugin, Buffer.from('bad')),
    valuesPart([['gauge', 2]]),
    textPart(AgentPart.plugin, 'q'),
    valuesPart([['gauge', 3]]),
  ]);
  const { rows, reasons } = readAll([packet]);
  t.deepEqual(shown(rows), [`p_value h//t/ 1 @${nowTicks}`, `q_value h//t/ 3 @${nowTicks}`]);
  t.is(reasons.length, 2);
});

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .filter((name) => !name.includes('\0') && !/[\ud800-\udfff]/u.test(name));
const number: fc.Arbitrary<AgentNumber> = fc.oneof(
  fc.double({ noNaN: true }).map((value): AgentNumber => ['gauge', value]),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value): AgentNumber => ['counter', value]),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value): AgentNumber => ['derive', value]),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value): AgentNumber => ['absolute', value]),
);
const list: fc.Arbitrary<ValueList> = fc.record({
  host: text,
  plugin: text,
  pluginInstance: fc.option(text, { nil: '' }),
  type: text,
  typeInstance: fc.option(text, { nil: '' }),
  time: fc.bigInt({ min: 1n, max: 2n ** 33n - 1n }),
  values: fc.array(number, { minLength: 1, maxLength: 4 }),
});

test('whatever an agent writes is read back', (t) => {
  fc.assert(
    fc.property(fc.array(list, { maxLength: 6 }), fc.boolean(), (lists, isHigh) => {
      const sent = isHigh ? lists.map((one) => ({ ...one, time: (one.time ?? 0n) << 30n, isHigh })) : lists;
      const { rows, parsed } = readAll([packetOf(sent)]);
      const expected = lists.flatMap((one) =>
        one.values.map(([, value], i) => {
          const table = `${one.plugin}_${one.values.length === 1 ? 'value' : i}`.replaceAll('.', '_');
          const tags = `${one.host}/${one.pluginInstance}/${one.type}/${one.typeInstance}`;
          return `${table} ${tags} ${Number(value)} @${(one.time ?? 0n) * 1_000_000_000n}`;
        }),
      );
      t.deepEqual(shown(rows).sort(), expected.sort());
      t.is(parsed.rejectedRows, 0);
    }),
    { numRuns: 200 },
  );
});

test('mutated packets never stop the reading, and good ones among them are all read', (t) => {
  const seed = Buffer.concat([load, cpu, part(AgentPart.interval, Buffer.alloc(8))]);
  const desk = new LineProtocolDesk();
  const good = packetOf([{ host: 'good', plugin: 'g', type: 't', values: [['gauge', 1]] }]);
  let readable = 0;
  for (const packet of spoiltCopies(seed, 10_000)) {
    const { rows } = readAll([packet, good], {}, desk);
    if (rows.some(({ table, tags }) => table === 'g_value' && tags.host === 'good')) readable++;
  }
  t.is(readable, 10_000);
});

const users = new Map([['user1', 'secret1']]);

for (const { name, packet: recorded, lists } of agentRecordings()) {
  test(`${name}: a recorded packet means what its recording says`, (t) => {
    const level = name.includes('encrypted') ? 'encrypt' : name.includes('signed') ? 'sign' : 'none';
    const packet = openPacket(recorded, { level, users });
    if (typeof packet === 'string') return t.fail(packet);
    const { rows, parsed } = readAll([packet]);
    const expected = lists.flatMap((one) =>
      one.values.flatMap(({ value }, i) => {
        if (value === 'NaN') return [];
        const table = `${one.plugin}_${one.values.length === 1 ? 'value' : i}`.replaceAll('.', '_');
        const tags = `${one.host}/${one.plugin_instance}/${one.type}/${one.type_instance}`;
        // Recorded times are rounded to nanoseconds in another way: one more or less is the same.
        return `${table} ${tags} ${Number(value)} @${one.time_ns.slice(0, -1)}`;
      }),
    );
    t.deepEqual(
      shown(rows)
        .map((row) => row.slice(0, -1))
        .sort(),
      expected.sort(),
    );
    t.is(parsed.rejectedRows, 0);
  });
}

test('values later than the database can hold, or older than it keeps, are refused and named', (t) => {
  const far = readAll([load], { maxTicks: 1_600_000_000_000_000_000n });
  t.deepEqual([far.rows.length, far.reasons.length > 0], [0, true]);
  t.true(
    far.reasons.every((reason) => reason.includes('the time is too far in the future')),
    far.reasons.join('\n'),
  );
  const old = readAll([load], { minTicks: 1_800_000_000_000_000_000n });
  t.deepEqual(old.rows, []);
  t.true(
    old.reasons.every((reason) => reason.includes('is older than the database keeps')),
    old.reasons.join('\n'),
  );
});
