import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { StatsD } from 'hot-shots';
import { cases, whenBrief, whenLong } from '../support/cases.js';
import { sendDatagrams } from '../support/inputs/datagrams.js';
import { sendThroughOutage } from '../support/inputs/outage.js';
import { fixturePath, statsRecordings, statsReference } from '../support/recordings.js';
import { type Rows, rowsSoon } from '../support/service/rows-soon.js';
import { startService, type TestService } from '../support/service/service.js';
import { spoiltCopies } from '../support/spoilt.js';
import { until } from '../support/until.js';

const brief = whenBrief(test);
const long = whenLong(test);
const settings = ['--statsgw.gatherInterval=200ms'];
const { service, end } = await startService(...settings, '--statsgw.deleteCounters=false');
const tcp = await service.attach(...settings, '--statsgw.protocol=tcp', '--statsgw.percentiles=[50,99.9]');
test.after.always(async () => {
  await tcp.stop();
  await end();
});

async function sendTcp(port: number, ...pieces: readonly (string | Uint8Array)[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (const piece of pieces) socket.write(piece);
  socket.end();
  await once(socket, 'close');
}

/** Rows in the database of this input. */
function rowsOf(from: TestService, statement: string, enough?: (rows: Rows) => boolean): Promise<Rows> {
  return rowsSoon(from, 'statsgw', statement, enough);
}

const port = service.listeners.get('statsgw') ?? 0;
const tcpPort = tcp.listeners.get('statsgw') ?? 0;

brief('messages of one interval become one row of each series', async (t) => {
  const texts = [
    'page.hits:4|c|@0.2',
    'lat:2|ms:4|ms:4|ms:4|ms',
    'lat:5|ms:5|ms:7|ms:9|ms',
    'uid:ann|s\nuid:bob|s',
    'uid:ann|s',
  ];
  const more = ['x:+3|ms', 'x1|c', 'q:7|g\nq:-2|g\nq:+10|g', 'web,region=eu:1|c', 'web:1|c|#a:b c'];
  // One datagram, so that no gather comes in between.
  await sendDatagrams(port, [[...texts, ...more].join('\n')]);
  await rowsOf(service, 'SELECT * FROM web WHERE region IS NULL');
  const query = (statement: string) => rowsOf(service, statement);
  t.deepEqual(await query('SELECT value, metric_type FROM page_hits LIMIT 1'), [[20, 'counter']]);
  t.deepEqual(await query('SELECT mean, stddev, sum, lower, upper, `count`, metric_type FROM lat'), [
    [5, 2, 40, 2, 9, 8, 'timing'],
  ]);
  t.deepEqual(await query('SELECT value FROM q'), [[15]]);
  t.deepEqual(await query('SELECT value, metric_type FROM uid'), [[2, 'set']]);
  t.deepEqual(await query('SELECT DISTINCT region, a FROM web ORDER BY a'), [
    ['eu', null],
    [null, 'b c'],
  ]);
  const times = await query('SELECT COUNT(*) FROM page_hits WHERE _ts > NOW() - 1m AND _ts <= NOW()');
  t.true(Number(times[0]?.[0]) > 0);
});

brief('counters that are not deleted go on and are written at every gather', async (t) => {
  await sendDatagrams(port, ['kept:1|c']);
  await rowsOf(service, 'SELECT value FROM kept');
  await sendDatagrams(port, ['kept:2|c']);
  const rows = await rowsOf(service, 'SELECT value FROM kept ORDER BY _ts', (all) => all.at(-1)?.[0] === 3);
  t.is(rows[0]?.[0], 1);
  t.is(rows.at(-1)?.[0], 3);
});

brief('one name used in several ways loses nothing', async (t) => {
  await sendDatagrams(port, ['mixed:3|c\nmixed:2.5|g\nmixed:a|s\nmixed:7|ms']);
  const rows = await rowsOf(
    service,
    'SELECT DISTINCT metric_type, value, mean FROM mixed ORDER BY metric_type',
    (all) => all.length === 4,
  );
  t.deepEqual(rows, [
    ['counter', 3, null],
    ['gauge', 2.5, null],
    ['set', 1, null],
    ['timing', null, 7],
  ]);
});

long('recorded payloads of all clients are found again, as the reference daemon reported them', async (t) => {
  const recording = await startService('--smlAutoCreateDB=true', '--statsgw.gatherInterval=3s');
  t.teardown(recording.end);
  const udp = statsRecordings()
    .filter(({ transport }) => transport === 'udp')
    .map(({ payload }) => payload);
  await sendDatagrams(recording.service.listeners.get('statsgw') ?? 0, udp);
  const query = (statement: string) => rowsOf(recording.service, statement);
  const reference = statsReference();
  const isPlain = ([name]: readonly [string, unknown]): boolean => !name.includes(';') && !name.startsWith('tg.');
  const table = (name: string): string => `\`${name.replaceAll('.', '_')}\``;
  const storedValue = async (name: string, kind: string): Promise<unknown> =>
    (await query(`SELECT value FROM ${table(name)} WHERE metric_type = '${kind}'`))[0]?.[0];
  for (const [name, value] of Object.entries(reference.gauges).filter(isPlain))
    t.is(await storedValue(name, 'gauge'), value);
  for (const [name, values] of Object.entries(reference.sets).filter(isPlain)) {
    t.is(await storedValue(name, 'set'), values.length);
  }
  for (const [name, values] of Object.entries(reference.timers).filter(isPlain)) {
    const statement = `SELECT lower, upper, \`count\` FROM ${table(name)} WHERE metric_type = 'timing'`;
    t.deepEqual(await query(statement), [[Math.min(...values), Math.max(...values), values.length]]);
  }
  const sums = ['hs.size', 'hs.dist', 'sc.h', 'ns.h.x'];
  for (const [name, value] of Object.entries(reference.counters).filter(isPlain)) {
    if (sums.includes(name))
      t.deepEqual(await query(`SELECT sum FROM ${table(name)} WHERE metric_type = 'histogram'`), [[value]]);
    else t.is(await storedValue(name, 'counter'), Math.trunc(value), name);
  }
  t.deepEqual(await query('SELECT value, env, zone, x, solo FROM hs_tagged_g'), [[7, 'prod', 'a', 'y', 'true']]);
  t.deepEqual(await query('SELECT value, env, route FROM tg_tagged'), [[3, 'prod', 'r1']]);
});

brief('recorded streams are found again, however they are cut', async (t) => {
  for (const name of ['tcp-hot-shots.bin', 'tcp-immobiliarelabs-dats.bin', 'tcp-statsd-python.bin']) {
    const bytes = readFileSync(fixturePath(`statsgw/${name}`));
    await sendTcp(tcpPort, bytes.subarray(0, 7), bytes.subarray(7, 20), bytes.subarray(20));
  }
  const query = (statement: string) => rowsOf(tcp, statement);
  t.deepEqual(await query('SELECT value FROM tcp_requests'), [[4]]);
  t.deepEqual(await query('SELECT value FROM tcp_g'), [[2.25]]);
  t.deepEqual(await query('SELECT mean, `50_percentile`, `99.9_percentile` FROM tcp_t'), [[9, 9, 9]]);
  t.deepEqual(await query('SELECT value FROM tcp_s'), [[1]]);
  t.deepEqual(await query('SELECT value FROM pytcp_c'), [[3]]);
  t.deepEqual(await query('SELECT sum FROM pytcp_t'), [[320]]);
  t.deepEqual(await query('SELECT value FROM datst_g'), [[4]]);
});

async function hotShots(t: ExecutionContext, options: { readonly port: number; readonly protocol: 'tcp' | 'udp' }) {
  const client = new StatsD({ ...options, host: '127.0.0.1', prefix: `hot${options.protocol}.`, maxBufferSize: 1000 });
  for (let i = 0; i < 1000; i++) client.increment('requests');
  client.gauge('temperature', 21.5, ['room:a b', 'floor:2']);
  client.timing('wait', 12);
  client.histogram('size', 5);
  client.distribution('spread', 6);
  client.unique('users', 'ann');
  await new Promise<void>((resolve) => client.close(() => resolve()));
  t.pass();
}

for (const [protocol, from, at] of [
  ['udp', service, port],
  ['tcp', tcp, tcpPort],
] as const) {
  (protocol === 'udp' ? brief : long)(`hot-shots over ${protocol}: everything it sends is found`, async (t) => {
    await hotShots(t, { port: at, protocol });
    const sum = protocol === 'udp' ? 'MAX(value)' : 'SUM(value)';
    const query = (statement: string, enough?: (rows: Rows) => boolean) => rowsOf(from, statement, enough);
    t.deepEqual(await query(`SELECT ${sum} FROM hot${protocol}_requests`, (rows) => rows[0]?.[0] === 1000), [[1000]]);
    t.deepEqual(await query(`SELECT value, room, floor FROM hot${protocol}_temperature`), [[21.5, 'a b', '2']]);
    t.deepEqual(await query(`SELECT sum, metric_type FROM hot${protocol}_wait`), [[12, 'timing']]);
    t.deepEqual(await query(`SELECT sum, metric_type FROM hot${protocol}_size`), [[5, 'histogram']]);
    t.deepEqual(await query(`SELECT sum, metric_type FROM hot${protocol}_spread`), [[6, 'histogram']]);
    t.deepEqual(await query(`SELECT value, metric_type FROM hot${protocol}_users`), [[1, 'set']]);
  });
}

interface StatsdClient {
  counter(name: string, value: number, tags?: Readonly<Record<string, string>>): void;
  gauge(name: string, value: number): void;
  timing(name: string, value: number): void;
  set(name: string, value: string): void;
  close(): void;
}

long('statsd-client over udp and tcp: everything it sends is found', async (t) => {
  const Client: new (options: object) => StatsdClient = createRequire(import.meta.url)('statsd-client');
  for (const [from, options] of [
    [service, { host: '127.0.0.1', port, prefix: 'scudp' }],
    [tcp, { host: '127.0.0.1', port: tcpPort, tcp: true, prefix: 'sctcp' }],
  ] as const) {
    const client = new Client({ ...options, socketTimeout: 500 });
    client.counter('requests', 7, { env: 'prod' });
    client.gauge('temperature', 3.5);
    client.timing('wait', 42);
    client.set('users', 'ann');
    const { prefix } = options;
    t.deepEqual((await rowsOf(from, `SELECT value, env FROM ${prefix}_requests`))[0], [7, 'prod']);
    t.deepEqual(await rowsOf(from, `SELECT value FROM ${prefix}_temperature`), [[3.5]]);
    t.deepEqual(await rowsOf(from, `SELECT mean FROM ${prefix}_wait`), [[42]]);
    t.deepEqual(await rowsOf(from, `SELECT value FROM ${prefix}_users`), [[1]]);
    client.close();
  }
});

long('what was not gathered yet is written as the service stops', async (t) => {
  const first = await startService('--smlAutoCreateDB=true', '--statsgw.gatherInterval=1h');
  t.teardown(first.end);
  // The table is there, so that a slow machine has time enough to write within the deadline of a stop.
  await first.service.run('CREATE DATABASE statsgw');
  await first.service.run('CREATE STABLE statsgw.last (_ts TIMESTAMP, value DOUBLE) TAGS (metric_type NCHAR(16))');
  await sendDatagrams(first.service.listeners.get('statsgw') ?? 0, ['last:1|c', 'last:2|c']);
  const figures = () => first.service.request({ method: 'GET', path: '/metrics', auth: false });
  t.true(await until(async () => /^adapter_statsgw_messages 2$/m.test((await figures()).text)));
  await first.service.stop();
  const later = await startService(`--database.path=${first.service.path}`);
  t.teardown(later.end);
  t.deepEqual(await later.service.rows('SELECT value FROM statsgw.last'), [[3]]);
});

brief('a gauge with a sign changes what was written before, and names with blanks stay apart', async (t) => {
  await sendDatagrams(port, ['gd:333|g\nG1 Eden:1|g\nG1 Old:2|g\nhalves:0.5|c:1.25|c']);
  t.deepEqual(await rowsOf(service, 'SELECT value FROM gd'), [[333]]);
  await sendDatagrams(port, ['gd:-10|g']);
  const both = await rowsOf(service, 'SELECT value FROM gd ORDER BY _rowts', (rows) => rows.length === 2);
  t.deepEqual(both, [[333], [323]]);
  t.deepEqual(await rowsOf(service, 'SELECT value FROM `G1_Eden`'), [[1]]);
  t.deepEqual(await rowsOf(service, 'SELECT value FROM `G1_Old`'), [[2]]);
  t.deepEqual(await rowsOf(service, 'SELECT DISTINCT value FROM halves'), [[1.75]]);
});

brief('of two names whose dots make them one table the first is stored, and the log names both', async (t) => {
  await sendDatagrams(port, ['a.web_01.load:1|g\na.web.01_load:2|g']);
  t.deepEqual(await rowsOf(service, 'SELECT value FROM a_web_01_load'), [[1]]);
  const reason = 'metric \\"a.web.01_load\\" cannot be stored in table \\"a_web_01_load\\", which holds metric';
  t.true(await until(() => service.log.some((line) => line.includes(reason))));
  t.deepEqual(await rowsOf(service, 'SELECT value FROM a_web_01_load'), [[1]]);
});

test('bad packets cost nothing but themselves', async (t) => {
  const seed = Buffer.from('4|c|@0.2:-2.5e1|g:7|ms|@0.1:ann|s:2:3:4|h');
  const socket = createSocket('udp4');
  const send = (packet: string | Uint8Array) =>
    new Promise<void>((resolve) => socket.send(packet, port, '127.0.0.1', () => resolve()));
  const count = cases(2_000, 10_000);
  let sent = 0;
  for (const spoilt of spoiltCopies(seed, count)) {
    if (sent++ % 10 === 0) await send('amidst:1|c');
    // One name, or there would be thousands of tables.
    await send(
      Buffer.concat([Buffer.from('spoilt:'), spoilt.map((byte) => (byte === 0x0a || byte === 0x23 ? 0x7c : byte))]),
    );
  }
  socket.close();
  const [[value] = []] = await rowsOf(service, 'SELECT MAX(value) FROM amidst', (rows) => rows[0]?.[0] === count / 10);
  t.is(value, count / 10);
});

long('messages of an outage of the engine are written after it', async (t) => {
  const broken = await startService('--smlAutoCreateDB=true', '--statsgw.gatherInterval=100ms', '--statsgw.worker=2');
  t.teardown(broken.end);
  const listener = broken.service.listeners.get('statsgw') ?? 0;
  await sendDatagrams(listener, ['during:1|c']);
  await rowsOf(broken.service, 'SELECT value FROM during');
  const sent = await sendThroughOutage(broken.service, () => sendDatagrams(listener, ['during:1|c']));
  const sum = 'SELECT SUM(value) FROM during';
  const rows = await rowsOf(broken.service, sum, (all) => all[0]?.[0] === sent + 1);
  t.deepEqual(rows, [[sent + 1]]);
});

brief('a wrong password of the listener is said, and nothing is stored', async (t) => {
  const wrong = await service.attach('--statsgw.gatherInterval=50ms', '--statsgw.password=wrong');
  t.teardown(() => wrong.stop());
  await sendDatagrams(wrong.listeners.get('statsgw') ?? 0, ['secret:1|c']);
  t.true(await until(() => wrong.log.join().includes('Authentication failure')));
  t.true(wrong.log.join().includes('Authentication failure'));
  t.not(await wrong.code('SELECT * FROM statsgw.secret'), 0);
});
