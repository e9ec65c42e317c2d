import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { whenBrief, whenLong } from '../support/cases.js';
import { temporaryDirectory } from '../support/engine/engine.js';
import { sendDatagrams } from '../support/inputs/datagrams.js';
import { sendThroughOutage } from '../support/inputs/outage.js';
import { encryptedPacket, packetOf, signedPacket } from '../support/messages/agent-packets.js';
import { agentRecordings, fixturePath } from '../support/recordings.js';
import { directoryFor, run } from '../support/service/processes.js';
import { type Rows, rowsSoon } from '../support/service/rows-soon.js';
import { startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';

const brief = whenBrief(test);
const long = whenLong(test);
const [directory, removeDirectory] = temporaryDirectory();
const userFile = join(directory, 'users');
writeFileSync(userFile, 'user1: secret1\n');
const typesDb = join(directory, 'types.db');
writeFileSync(typesDb, 'load shortterm:GAUGE:0:5000, midterm:GAUGE:0:5000, longterm:GAUGE:0:5000\n');

const { service, end } = await startService(
  `--agentd.userFile=${userFile}`,
  '--tsdbwire_telnet.enable=true',
  '--tsdbwire_telnet.ports=[0]',
  '--tsdbwire_telnet.dbs=[tsdb]',
);
test.after.always(async () => {
  await end();
  removeDirectory();
});

const port = service.listeners.get('agentd') ?? 0;

test.serial('recorded packets, plain, signed and encrypted, are found again', async (t) => {
  await service.run("CREATE DATABASE agentd PRECISION 'ns'");
  const last = packetOf([{ host: 'end', plugin: 'end', type: 'end', values: [['gauge', 1]] }]);
  const recordings = agentRecordings();
  t.is(recordings.length, 16);
  await sendDatagrams(
    port,
    recordings.map(({ packet }) => packet),
  );
  await sendDatagrams(port, [last]);
  const expected = new Map<string, Set<string>>();
  for (const { lists } of recordings) {
    for (const list of lists) {
      for (const [i, { value }] of list.values.entries()) {
        if (value === 'NaN') continue;
        const table = `${list.plugin}_${list.values.length === 1 ? 'value' : i}`.replaceAll('.', '_');
        const number = typeof value === 'string' && !Number.isFinite(Number(value)) ? 'null' : String(Number(value));
        const tags = [list.host, list.plugin_instance, list.type, list.type_instance].join('/');
        const rows = expected.get(table) ?? new Set();
        expected.set(table, rows.add(`${tags} ${number} ${list.time_ns.slice(0, -1)}`));
      }
    }
  }
  await rowsSoon(service, 'agentd', 'SELECT * FROM end_value');
  for (const [table, rows] of expected) {
    const { body } = await service.sql(`SELECT *, CAST(_ts AS BIGINT) FROM \`${table}\``, { database: 'agentd' });
    const names = body.column_meta.map(([name]) => name);
    const column = (row: readonly unknown[], name: string): unknown => row[names.indexOf(name)] ?? '';
    const stored = body.data.map((row) => {
      const tags = ['host', 'instance', 'type', 'type_instance'].map((name) => column(row, name)).join('/');
      const value = row[names.indexOf('value')];
      return `${tags} ${value === null ? 'null' : Number(value)} ${String(row.at(-1)).slice(0, -1)}`;
    });
    t.deepEqual(stored.sort(), [...rows].sort(), table);
  }
});

brief('what is sent amid broken packets is stored', async (t) => {
  const seed = readFileSync(fixturePath('agentd/collectd-5.12-plain-01.bin'));
  const packets: Buffer[] = [];
  for (let i = 0; i < 2_000; i++) {
    // Beyond the length of its first part a packet means nothing; the first part is spoilt, so no names become tables.
    const spoilt = Buffer.from(seed);
    spoilt.writeUInt16BE(0xff00 | (i & 0xff), 2);
    packets.push(spoilt);
    if (i % 20 === 0) {
      const time = 1_700_000_000n + BigInt(i);
      packets.push(packetOf([{ host: 'h', plugin: 'amidst', type: 't', time, values: [['derive', BigInt(i)]] }]));
    }
  }
  await sendDatagrams(port, packets);
  const rows = await rowsSoon(service, 'agentd', 'SELECT COUNT(*) FROM amidst_value', (all) => all[0]?.[0] === 100);
  t.deepEqual(rows, [[100]]);
});

brief('a level of security keeps out what is less secure, and a types database names the values', async (t) => {
  const settings = ['--agentd.securityLevel=sign', `--agentd.userFile=${userFile}`, `--agentd.typesDb=[${typesDb}]`];
  const strict = await service.attach(...settings);
  t.teardown(() => strict.stop());
  const packet = (host: string) =>
    packetOf([
      {
        host,
        plugin: 'load',
        type: 'load',
        values: [
          ['gauge', 0.5],
          ['gauge', 0.25],
          ['gauge', 0.125],
        ],
      },
    ]);
  await sendDatagrams(strict.listeners.get('agentd') ?? 0, [
    packet('plain'),
    signedPacket(packet('forged'), 'user1', 'wrong'),
    encryptedPacket(packet('unknown'), 'nobody', 'secret1'),
    signedPacket(packet('signed'), 'user1', 'secret1'),
    encryptedPacket(packet('encrypted'), 'user1', 'secret1'),
  ]);
  const query = (table: string) =>
    rowsSoon(strict, 'agentd', `SELECT host, value FROM ${table} ORDER BY host`, (rows) => rows.length === 2);
  t.deepEqual(await query('load_longterm'), [
    ['encrypted', 0.125],
    ['signed', 0.125],
  ]);
  t.deepEqual(
    (await query('load_shortterm')).map(([, value]) => value),
    [0.5, 0.5],
  );
  t.true(strict.log.join().includes('Packets were refused'));
  t.false(strict.log.join().includes('could not be stored'), 'packets that hold nothing');
  const figures = (await strict.request({ method: 'GET', path: '/metrics' })).text;
  t.regex(figures, /^adapter_agentd_forged_packets 2$/m);
  t.regex(figures, /^adapter_agentd_unprotected_packets 1$/m);
});

brief('a user file that cannot be read stops the start with one line', async (t) => {
  const error = await t.throwsAsync(startService('--agentd.userFile=/nowhere/users'));
  t.regex(error?.message ?? '', /sluice: agentd\.userFile: \/nowhere\/users cannot be read/);
});

long('packets of an outage of the engine are written after it', async (t) => {
  const broken = await startService('--smlAutoCreateDB=true');
  t.teardown(broken.end);
  const listener = broken.service.listeners.get('agentd') ?? 0;
  const packet = (second: number) =>
    packetOf([
      { host: 'h', plugin: 'during', type: 't', time: 1_700_000_000n + BigInt(second), values: [['gauge', second]] },
    ]);
  await sendDatagrams(listener, [packet(0)]);
  await rowsSoon(broken.service, 'agentd', 'SELECT value FROM during_value');
  const sent = await sendThroughOutage(broken.service, (nth) => sendDatagrams(listener, [packet(nth)]));
  const count = 'SELECT COUNT(*), SUM(value) FROM during_value';
  t.deepEqual(await rowsSoon(broken.service, 'agentd', count, (rows: Rows) => rows[0]?.[0] === sent + 1), [
    [sent + 1, (sent * (sent + 1)) / 2],
  ]);
});

const collectd = '/usr/sbin/collectd';

long(
  'the agent itself is understood: its load and memory, over an encrypted network plug-in and as telnet lines',
  async (t) => {
    if (!existsSync(collectd)) {
      skipped(t, `there is no ${collectd}`);
      return;
    }
    const home = directoryFor(t);
    writeFileSync(
      join(home, 'collectd.conf'),
      `Hostname "agent.example"
FQDNLookup false
BaseDir "${home}"
PIDFile "${home}/pid"
TypesDB "/usr/share/collectd/types.db"
Interval 0.5
LoadPlugin load
LoadPlugin memory
LoadPlugin network
<Plugin network>
  <Server "127.0.0.1" "${port}">
    SecurityLevel Encrypt
    Username "user1"
    Password "secret1"
  </Server>
</Plugin>
LoadPlugin write_tsdb
<Plugin write_tsdb>
  <Node "sluice">
    Host "127.0.0.1"
    Port "${service.listeners.get('tsdb')}"
    HostTags "site=north"
    StoreRates false
    AlwaysAppendDS false
  </Node>
</Plugin>
`,
    );
    run(t, collectd, ['-f', '-C', join(home, 'collectd.conf')]);
    const where = "WHERE host = 'agent.example' AND _ts > NOW() - 5m AND _ts <= NOW()";
    const query = (statement: string) => rowsSoon(service, 'agentd', statement, (rows) => rows.length >= 2);
    const loads = await query(`SELECT value, type FROM load_0 ${where}`);
    t.true(loads.length >= 2);
    t.true(loads.every(([value, type]) => Number(value) >= 0 && type === 'load'));
    const memory = await query(`SELECT value, type_instance FROM memory_value ${where} AND type_instance = 'free'`);
    t.true(memory.length >= 2 && memory.every(([value]) => Number(value) > 0));
    const lines = await rowsSoon(
      service,
      'tsdb',
      `SELECT _value, fqdn, site FROM memory_free_memory WHERE _ts > NOW() - 5m AND _ts <= NOW()`,
      (rows) => rows.length >= 2,
    );
    t.true(
      lines.length >= 2 &&
        lines.every(([value, host, site]) => Number(value) > 0 && host === 'agent.example' && site === 'north'),
    );
  },
);
