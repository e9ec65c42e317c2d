import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { whenBrief, whenLong } from '../support/cases.js';
import { telnetRecording } from '../support/recordings.js';
import { startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const brief = whenBrief(test);
const long = whenLong(test);
const { service, end } = await startService(
  '--smlAutoCreateDB=true',
  '--tsdbwire_telnet.enable=true',
  '--tsdbwire_telnet.ports=[0,0,0,0,0]',
  '--tsdbwire_telnet.dbs=[collectd,icinga,netdata,tcollector,lines]',
);
test.after.always(end);

function connect(database: string, to = service): net.Socket {
  return net.connect(to.listeners.get(database)!, '127.0.0.1');
}

/** Sends all of it, closes, and returns what the service said. */
function send(database: string, bytes: string | Uint8Array, to = service): Promise<string> {
  const socket = connect(database, to);
  socket.end(bytes);
  return text(socket);
}

async function count(table: string, of = service): Promise<number> {
  const { body } = await of.sql(`SELECT COUNT(*) FROM ${table}`);
  return body.code === 0 ? Number(body.data[0]?.[0] ?? 0) : 0;
}

for (const [database, name] of [
  ['collectd', 'collectd-5.12-write_tsdb'],
  ['icinga', 'icinga2-2.13.6-opentsdbwriter'],
  ['netdata', 'netdata-1.37.1-telnet'],
  ['tcollector', 'tcollector-telnet'],
] as const) {
  (database === 'tcollector' ? brief : long)(`${name}: every value that its client sent is read back`, async (t) => {
    const { bytes, recording } = telnetRecording(name);
    const answers = await send(database, bytes);
    t.is(answers.split('put: illegal argument').length - 1, recording.invalid.length, answers);
    t.is(answers.startsWith('sluice '), database === 'tcollector');
    const expected = new Map<string, Set<string>>();
    for (const { metric, timestamp, value, tags } of recording.points) {
      const table = metric.replaceAll('.', '_');
      if (!expected.has(table)) expected.set(table, new Set());
      const time = `${new Date(timestamp * 1000).toISOString().slice(0, -5)}.000000000Z`;
      expected.get(table)?.add(JSON.stringify([time, value, Object.entries(tags).sort()]));
    }
    for (const [table, rows] of expected) {
      const { body } = await service.sql(`SELECT * FROM \`${table}\``, { database });
      const names = body.column_meta.map(([column]) => column);
      const stored = body.data.map(([time, value, ...tags]) => {
        const pairs = tags.map((tag, i): [string, unknown] => [names[i + 2]!, tag]).filter(([, tag]) => tag !== null);
        return JSON.stringify([time, Number(value), pairs.sort()]);
      });
      t.deepEqual(stored.sort(), [...rows].sort(), table);
    }
  });
}

brief('a line is stored under the names that its metric and tags give, and a bad one is answered', async (t) => {
  const answers = await send(
    'lines',
    'put sys.if.bytes.out 1700000000 42 host=web01 interface=eth0\nput sys.if.bytes.out 1700000000 42\n',
  );
  t.is(answers, 'put: illegal argument: the point has no tags (column 35): put sys.if.bytes.out 1700000000 42\n');
  t.deepEqual(await service.rows('SELECT tbname, _ts, _value, host, interface FROM lines.sys_if_bytes_out'), [
    ['t_f67972b49aa8adf8bca5d0d54f0d850d', '2023-11-14T22:13:20.000000000Z', 42, 'web01', 'eth0'],
  ]);
  t.deepEqual(
    (await service.rows('DESCRIBE lines.sys_if_bytes_out')).map(([name, type]) => [name, type]),
    [
      ['_ts', 'TIMESTAMP'],
      ['_value', 'DOUBLE'],
      ['host', 'NCHAR'],
      ['interface', 'NCHAR'],
    ],
  );
});

brief('the same lines over HTTP are stored alike; bad ones are counted and the others kept', async (t) => {
  await service.run('CREATE DATABASE over_http');
  const path = '/tsdbwire/v1/put/telnet/over_http';
  const good = await service.request({ path, body: 'put m.n 1700000000 7 h=1\r\nm.n 1700000001000 8 h=1' });
  t.deepEqual([good.status, good.text], [204, '']);
  t.is((await service.request({ path, body: '' })).status, 204);
  t.is((await service.request({ path, body: '\r\n \n' })).status, 204);
  const bad = await service.request({ path, body: 'm.n 1700000002 9 h=1\nm.n 170000000012 1 h=1\n' });
  t.is(bad.status, 400);
  t.is(
    JSON.parse(bad.text).message,
    'line 2: [0x3002] timestamp "170000000012" does not have 10 or 13 digits (column 5) (1 rejected, 1 written)',
  );
  t.deepEqual(await service.rows('SELECT _value FROM over_http.m_n ORDER BY _ts'), [[7], [8], [9]]);
  const missing = await service.request({ path: '/tsdbwire/v1/put/telnet/none', body: 'm 1700000000 7 h=1' });
  t.is(missing.status, 204, 'made, because smlAutoCreateDB is on');
});

brief('a long body over HTTP is cut between lines', async (t) => {
  await service.run('CREATE DATABASE long_body');
  const lines = Array.from({ length: 40_000 }, (_, i) => `put long.m ${1_700_000_000 + i} ${i} host=h${i % 7}\n`);
  lines[30_000] = 'put long.m 1 1 host=h\n';
  const reply = await service.request({ path: '/tsdbwire/v1/put/telnet/long_body', body: lines.join('') });
  t.is(reply.status, 400);
  t.regex(JSON.parse(reply.text).message, /^line 30001: .*\(1 rejected, 39999 written\)$/);
  t.is(await count('long_body.long_m'), 39_999);
});

/** A service of its own with one listener. */
async function single(database: string, ...settings: string[]) {
  return startService(
    '--smlAutoCreateDB=true',
    '--tsdbwire_telnet.enable=true',
    '--tsdbwire_telnet.ports=[0]',
    `--tsdbwire_telnet.dbs=[${database}]`,
    ...settings,
  );
}

long('lines outlive an engine that dies, and lines that wait are stored when the service stops', async (t) => {
  const { service: other, end: stop } = await startService();
  t.teardown(stop);
  const own = await other.attach(
    '--smlAutoCreateDB=true',
    '--tsdbwire_telnet.enable=true',
    '--tsdbwire_telnet.ports=[0]',
    '--tsdbwire_telnet.dbs=[outage]',
    '--tsdbwire_telnet.batchSize=1000',
  );
  t.teardown(() => own.stop());
  const socket = connect('outage', own);
  const lines = (from: number) =>
    Array.from({ length: 1000 }, (_, i) => `put m ${1_700_000_000 + from + i} ${i} host=a\n`).join('');
  socket.write(lines(0));
  t.true(await until(async () => (await count('outage.m', other)) === 1000));
  process.kill(other.enginePid(), 'SIGKILL');
  socket.write(lines(1000));
  socket.write(lines(2000));
  t.true(await until(async () => (await count('outage.m', other)) === 3000));
  socket.write('put m 1800000000 1 host=a\nversion\n');
  await once(socket, 'data');
  t.is(await count('outage.m', other), 3000);
  await own.stop();
  t.true(await until(async () => (await count('outage.m', other)) === 3001));
  t.pass();
});

long('a wrong password is said in the log and to clients, who stay connected', async (t) => {
  const { service: own, end: stop } = await single('locked', '--tsdbwire_telnet.password=wrong');
  t.teardown(stop);
  const log = own.log.map((line): { component?: string; level?: string; msg?: string } => JSON.parse(line));
  t.truthy(log.find(({ component, level }) => component === 'tsdbwire_telnet' && level === 'error'));
  t.notRegex(own.log.join('\n'), /"wrong"/);
  const socket = connect('locked', own);
  let said = '';
  socket.on('data', (piece) => {
    said += piece;
  });
  for (let i = 1; i <= 2; i++) {
    socket.write(`put m 170000000${i} 1 host=a\n`);
    t.true(await until(async () => said.split('\n').length === i + 1));
  }
  t.is(said, 'put: refused: Authentication failure (lines: 1)\n'.repeat(2));
  socket.destroy();
});

brief('a port that is in use ends the start with one clear line', async (t) => {
  const port = service.listeners.get('lines');
  const settings = ['--tsdbwire_telnet.enable=true', `--tsdbwire_telnet.ports=[${port}]`, '--tsdbwire_telnet.dbs=[x]'];
  const error = await t.throwsAsync(service.attach(...settings));
  t.regex(error.message, new RegExp(`TCP \\*:${port} is in use \\(--tsdbwire_telnet\\.ports\\)`));
});

/** Good lines with damaged ones among them: bytes changed, lost, doubled and inserted, but no line break in a good line. */
function mutated(seed: number, lines: number): { readonly bytes: Buffer; readonly good: number } {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const parts: Buffer[] = [];
  let good = 0;
  for (let i = 0; i < lines; i++) {
    const line = Buffer.from(`put fuzz.good ${1_700_000_000 + i} ${i} host=s${seed}`);
    if (i % 2 === 0) {
      good++;
      parts.push(line, Buffer.from('\n'));
      continue;
    }
    const damaged = Buffer.from(line.toString().replace('good', 'damaged'));
    // Names are damaged seldom: each one that still is a name makes a table or a column.
    const [from, to] = i % 250 === 1 ? [0, damaged.length] : [damaged.indexOf(' 1'), damaged.indexOf(' host')];
    for (let change = 0; change <= random(4); change++) damaged[from + random(to - from)] = random(256);
    const cut = random(damaged.length);
    parts.push(damaged.subarray(0, random(3) === 0 ? cut : damaged.length));
    if (random(4) === 0) parts.push(Buffer.from(Array.from({ length: random(40) }, () => random(256))));
    // A damaged piece must end before the next good line begins.
    parts.push(Buffer.from('\n'));
  }
  return { bytes: Buffer.concat(parts), good };
}

long(
  'ten thousand mutated packets crash nothing, take bounded memory, and every good line between them is stored',
  async (t) => {
    const { service: own, end: stop } = await single('fuzz');
    t.teardown(stop);
    const connections = 20;
    const before = own.memory('VmRSS');
    let good = 0;
    await Promise.all(
      Array.from({ length: connections }, async (_, c) => {
        const flow = mutated(c + 1, 2000);
        good += flow.good;
        const socket = connect('fuzz', own);
        socket.setNoDelay(true);
        const closed = text(socket);
        const size = Math.ceil(flow.bytes.length / 500);
        for (let at = 0; at < flow.bytes.length; at += size) {
          socket.write(flow.bytes.subarray(at, at + size));
          await turn();
        }
        socket.end();
        await closed;
      }),
    );
    t.true(await until(async () => (await count('fuzz.fuzz_good', own)) === good));
    t.true(own.memory('VmHWM') - before < 400 * 1024 * 1024);
  },
);
