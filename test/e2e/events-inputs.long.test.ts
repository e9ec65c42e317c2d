import { once } from 'node:events';
import { createServer } from 'node:http';
import net from 'node:net';
import test from 'ava';
import { eventsSoon, rulesSetting } from '../support/events/events.js';
import { sendDatagrams } from '../support/inputs/datagrams.js';
import { packetOf } from '../support/messages/agent-packets.js';
import { labelsOf, writeBody } from '../support/messages/remote-messages.js';
import { startService } from '../support/service/service.js';

/** The longest time between an offending point and its event that is promised, and how often it is tried. */
const promisedMs = 2_000;
const tries = 5;
/** What every input sends breaks the rule of its table. */
const hotValue = 99;

let exposed = 0;
const exporter = createServer((_request, response) => {
  response.end(`# TYPE door_scraped gauge\ndoor_scraped{nth="${exposed}"} ${exposed === 0 ? 1 : hotValue}\n`);
});
exporter.listen(0, '127.0.0.1');
await once(exporter, 'listening');
const address = exporter.address();
const exporterPort = typeof address === 'object' && address !== null ? address.port : 0;

/** An input: the table and column that its point is stored in, and how it is sent. `n` tells the tries apart. */
interface Input {
  readonly name: string;
  readonly database: string;
  readonly table: string;
  readonly column: string;
  send(n: number): Promise<void>;
}

async function put(path: string, body: string | Buffer): Promise<void> {
  const { status, text } = await service.request({ path, body });
  if (status >= 300) throw new Error(`${status}: ${text}`);
}

const seconds = (): number => Math.floor(Date.now() / 1000);

const inputs: readonly Input[] = [
  {
    name: 'line protocol',
    database: 'd',
    table: 'door_lines',
    column: 'v',
    send: (n) => put('/lineproto/v1/write?db=d', `door_lines,nth=${n} v=${hotValue}`),
  },
  {
    name: 'JSON over HTTP',
    database: 'd',
    table: 'door_json',
    column: '_value',
    send: (n) =>
      put(
        '/tsdbwire/v1/put/json/d',
        JSON.stringify({ metric: 'door_json', timestamp: seconds(), value: hotValue, tags: { nth: n } }),
      ),
  },
  {
    name: 'the telnet format over HTTP',
    database: 'd',
    table: 'door_telnet',
    column: '_value',
    send: (n) => put('/tsdbwire/v1/put/telnet/d', `put door_telnet ${seconds()} ${hotValue} nth=${n}\n`),
  },
  {
    name: 'the telnet format over TCP',
    database: 'tsdb',
    table: 'door_tcp',
    column: '_value',
    send: async (n) => {
      const socket = net.connect(service.listeners.get('tsdb') ?? 0, '127.0.0.1');
      socket.end(`put door_tcp ${seconds()} ${hotValue} nth=${n}\n`);
      socket.resume();
      await once(socket, 'close');
    },
  },
  {
    name: 'statistics',
    database: 'statsgw',
    table: 'door_stats',
    column: 'value',
    send: (n) => sendDatagrams(service.listeners.get('statsgw') ?? 0, [`door_stats,nth=${n}:${hotValue}|g`]),
  },
  {
    name: 'packets of agents',
    database: 'agentd',
    table: 'door_agent_value',
    column: 'value',
    send: (n) =>
      sendDatagrams(service.listeners.get('agentd') ?? 0, [
        packetOf([
          { host: `h${n}`, plugin: 'door_agent', type: 'x', time: BigInt(seconds()), values: [['gauge', hotValue]] },
        ]),
      ]),
  },
  {
    name: 'a scrape',
    database: 'hostexporter',
    table: 'door_scraped',
    column: 'gauge',
    send: async (n) => {
      exposed = n;
    },
  },
  {
    name: 'remote write',
    database: 'd',
    table: 'metrics',
    column: 'v',
    send: (n) => {
      const labels = labelsOf({ __name__: 'door_remote', nth: String(n) });
      const samples = [{ value: hotValue, timestamp: Date.now() }];
      return put('/metricsdb/v1/remote_write/d', writeBody([{ labels, samples }]));
    },
  },
  {
    name: 'INSERT',
    database: 'd',
    table: 'door_sql',
    column: 'v',
    send: async (n) => {
      await service.run(`INSERT INTO d.door_sql_${n} USING d.door_sql TAGS (${n}) VALUES (NOW, ${hotValue})`);
    },
  },
  {
    name: 'INSERT into a normal table',
    database: 'd',
    table: 'door_normal',
    column: 'v',
    send: async () => {
      // One series alone: what it did before is over first.
      await service.run(`INSERT INTO d.door_normal VALUES (NOW, 0)(NOW + 1a, ${hotValue})`);
    },
  },
];

const { service, end } = await startService(
  '--smlAutoCreateDB=true',
  '--tsdbwire_telnet.enable=true',
  '--tsdbwire_telnet.ports=[0]',
  '--tsdbwire_telnet.dbs=[tsdb]',
  '--statsgw.gatherInterval=500ms',
  '--hostexporter.enable',
  `--hostexporter.urls=http://127.0.0.1:${exporterPort}/metrics`,
  '--hostexporter.gatherDuration=1s',
  '--events.repeatInterval=1s',
  rulesSetting(
    ...inputs.map(({ name, database, table, column }) => ({
      name,
      database,
      table,
      column,
      comparison: '>',
      threshold: 80,
    })),
  ),
);
test.after.always(async () => {
  await end();
  exporter.close();
});
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE STABLE d.door_sql (ts TIMESTAMP, v INT) TAGS (nth INT)');
  await service.run('CREATE TABLE d.door_normal (ts TIMESTAMP, v DOUBLE)');
});

for (const { name, send, database, table } of inputs) {
  test.serial(`a point that breaks a rule makes an event soon when it comes as ${name}`, async (t) => {
    const took: number[] = [];
    for (let n = 1; n <= tries; n++) {
      const before = new Set(
        (await eventsSoon(service, () => true)).filter(({ rule }) => rule === name).map(({ id }) => id),
      );
      const sent = Date.now();
      await send(n);
      const events = await eventsSoon(service, (all) => all.some(({ rule, id }) => rule === name && !before.has(id)));
      took.push(Date.now() - sent);
      const event = events.find(({ rule, id }) => rule === name && !before.has(id));
      t.like(event, { status: 'active', source: 'rule', severity: 'warning', value: hotValue, threshold: 80 });
      t.like(event?.attributes, { database, table });
      if (Date.now() - sent <= promisedMs) break;
    }
    // A busy machine may be late, but not every time.
    t.true(Math.min(...took) <= promisedMs, `${took.join(', ')} ms`);
    t.log(`${took.at(-1)} ms`);
  });
}
