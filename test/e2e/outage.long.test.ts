import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setInterval, setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import {
  type AcknowledgingInput,
  acknowledgingInputs,
  tablesOfStatements,
} from '../support/inputs/acknowledging-inputs.js';
import {
  directoryFor,
  type Listening,
  memoryOf,
  type Program,
  post,
  rowsOf,
  sql,
  startAdapter,
  startEngineHost,
} from '../support/service/processes.js';
import { until } from '../support/until.js';

/** How long the database is away, in milliseconds: pauses between two tries double up to 5 s, which each has reached after 11 s at most. */
const outageMs = Number(process.env.OUTAGE_MS ?? '13000');
/**
 * Rows per second that all inputs of HTTP together write; OUTAGE_MS=600000 OUTAGE_ROWS=50000 is a long outage under load:
 * `OUTAGE_MS=600000 OUTAGE_ROWS=50000 npx ava build/test/e2e/outage.long.test.js --match='*away*'` after a build.
 */
const rowsPerSecond = Number(process.env.OUTAGE_ROWS ?? '450');
const pauseMs = 20;
const rowsOfBody = Math.max(1, Math.round((rowsPerSecond * pauseMs) / 1_000 / acknowledgingInputs.length));
/** Storing what was logged meanwhile takes a busy machine about as long as the outage was. */
const patienceMs = 60_000 + 2 * outageMs;
/** What memory may grow by in the second half of an outage. */
const growthBytes = 64 * 1024 * 1024;
/** How often the exporter is scraped. */
const scrapeMs = 500;
const startMs = Date.UTC(2026, 0, 1);

/** The port that a listener says it is bound to, in the adapter's log. */
function listenerPort({ stdout }: Program, component: string): number {
  const line = stdout()
    .split('\n')
    .find((text) => text.includes(`"component":"${component}"`) && /"listens(?:On)?":/.test(text));
  return Number(/"listens(?:On)?":(\d+)/.exec(line ?? '')?.[1] ?? 0);
}

async function figure(adapter: Listening, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${adapter.port}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await response.text())?.[1] ?? 0);
}

async function countOf(adapter: Listening, statement: string): Promise<number> {
  try {
    return Number((await rowsOf(adapter, statement))[0]?.[0] ?? 0);
  } catch {
    return -1;
  }
}

/** Between two messages, ms. */
const paceMs = 2;

/** Telnet lines, one every few milliseconds, until stopped; resolves with how many were sent. */
async function sendTelnet(port: number, stopped: AbortSignal): Promise<number> {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let sent = 0;
  for await (const _ of setInterval(paceMs)) {
    if (stopped.aborted) break;
    const line = `put lines ${startMs + sent} ${sent} host=a\n`;
    sent++;
    if (!socket.write(line)) await once(socket, 'drain');
  }
  socket.end();
  return sent;
}

/** Counts of one over UDP until stopped; resolves with how many were sent. */
async function sendStatistics(port: number, stopped: AbortSignal): Promise<number> {
  const socket = dgram.createSocket('udp4');
  let sent = 0;
  for await (const _ of setInterval(paceMs)) {
    if (stopped.aborted) break;
    await new Promise<void>((resolve) => socket.send('hits:1|c', port, '127.0.0.1', () => resolve()));
    sent++;
  }
  socket.close();
  return sent;
}

interface Exporter {
  readonly port: number;
  /** How often it was asked. */
  readonly scrapes: () => number;
}

/** An exporter whose one sample is the number of the scrape. */
async function startExporter(t: ExecutionContext): Promise<Exporter> {
  let scrapes = 0;
  const server = http.createServer((_request, response) => {
    scrapes++;
    response.end(`scrape_number ${scrapes}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, scrapes: () => scrapes };
}

/** How many series each input writes in round robin, so that some are new whenever it is. */
const seriesPerInput = 500;

/** Numbered rows through one input of HTTP, until stopped; resolves with how many were answered, or with -1 after a refusal. */
async function sendRows(adapter: Listening, { name, send }: AcknowledgingInput, stopped: AbortSignal): Promise<number> {
  let answered = 0;
  for await (const _ of setInterval(pauseMs)) {
    if (stopped.aborted) break;
    const rows = Array.from({ length: rowsOfBody }, (_, i) => {
      const number = answered + i;
      return { name, writer: `w${number % seriesPerInput}`, ms: startMs + number, number };
    });
    if (!(await send(adapter, 'kept', rows))) return -1;
    answered += rowsOfBody;
  }
  return answered;
}

async function setUp(
  t: ExecutionContext,
  exporter: Exporter,
): Promise<{ engine: Listening; adapter: Listening; path: string }> {
  const path = directoryFor(t);
  const engine = await startEngineHost(t, [`--path=${path}`, '--password=away']);
  const adapter = await startAdapter(t, [
    '--database.mode=cluster',
    `--database.urls=http://127.0.0.1:${engine.port}`,
    '--database.password=away',
    '--statsgw.gatherInterval=200ms',
    '--tsdbwire_telnet.enable=true',
    '--tsdbwire_telnet.ports=0',
    '--tsdbwire_telnet.dbs=tsdb',
    '--hostexporter.enable=true',
    `--hostexporter.urls=http://127.0.0.1:${exporter.port}/metrics`,
    `--hostexporter.gatherDuration=${scrapeMs}ms`,
  ]);
  return { engine, adapter, path };
}

/** A way for the database to be away, and how it comes back. */
interface Outage {
  readonly begin: (engine: Listening) => Promise<unknown>;
  readonly end: (t: ExecutionContext, engine: Listening, path: string) => Promise<unknown>;
}

const outages: Readonly<Record<string, Outage>> = {
  away: {
    begin: async (engine) => {
      engine.child.kill('SIGKILL');
      await engine.ended;
    },
    end: (t, { port }, path) => startEngineHost(t, [`--path=${path}`, '--password=away', `--port=${port}`]),
  },
  stopped: {
    begin: async ({ child }) => child.kill('SIGSTOP'),
    end: async (_, { child }) => child.kill('SIGCONT'),
  },
};

for (const [how, outage] of Object.entries(outages)) {
  test.serial(`what was sent while the database was ${how} is stored, or was shed and counted`, survived, outage);
}

async function survived(t: ExecutionContext, outage: Outage): Promise<void> {
  t.timeout(2 * (outageMs + patienceMs));
  const exporter = await startExporter(t);
  const { engine, adapter, path } = await setUp(t, exporter);
  const stopping = new AbortController();
  const telnet = sendTelnet(listenerPort(adapter, 'tsdbwire_telnet'), stopping.signal);
  const statistics = sendStatistics(listenerPort(adapter, 'statsgw'), stopping.signal);
  t.is((await sql(adapter, "CREATE DATABASE kept PRECISION 'ms'")).code, 0);
  for (const statement of tablesOfStatements('kept', ['statements'])) t.is((await sql(adapter, statement)).code, 0);
  const rows = acknowledgingInputs.map(async (input) => ({
    input,
    answered: await sendRows(adapter, input, stopping.signal),
  }));
  const isStoring = async () =>
    (await countOf(adapter, 'SELECT COUNT(*) FROM tsdb.lines')) > 0 &&
    (await countOf(adapter, 'SELECT COUNT(*) FROM hostexporter.scrape_number')) > 0;
  t.true(await until(isStoring, 60_000));
  await sleep(1_000);

  await outage.begin(engine);
  const memory: number[] = [];
  for (const half of [1, 2]) {
    await sleep(outageMs / 2);
    memory[half] = memoryOf(adapter.pid, 'VmRSS');
  }
  const grown = memory[2]! - memory[1]!;
  t.true(grown < growthBytes, `memory stays flat: ${grown} bytes more`);
  t.is((await post(adapter.port, '/rest/sql', 'SELECT 1')).status >= 200, true, 'the adapter answers meanwhile');
  await outage.end(t, engine, path);
  const before = exporter.scrapes();
  t.true(await until(async () => exporter.scrapes() > before + 2, 60_000), 'scrapes go on after it');
  await sleep(1_500);
  stopping.abort();

  const sentLines = await telnet;
  const sentStatistics = await statistics;
  t.true(
    await until(async () => (await countOf(adapter, 'SELECT COUNT(*) FROM tsdb.lines')) === sentLines, patienceMs),
  );
  t.is(await countOf(adapter, 'SELECT COUNT(*) FROM (SELECT DISTINCT _value FROM tsdb.lines)'), sentLines);
  const shed = await figure(adapter, 'adapter_statsgw_shed_datagrams');
  const isSummed = async () =>
    (await countOf(adapter, 'SELECT SUM(`value`) FROM statsgw.hits')) === sentStatistics - shed;
  t.true(await until(isSummed, patienceMs), `${sentStatistics} messages, ${shed} shed`);
  const all = await Promise.all(rows);
  const total = all.reduce((sum, { answered }) => sum + answered, 0);
  t.log(`${total} rows were answered; memory grew by ${grown} bytes in the second half of the outage`);
  for (const { input, answered } of all) {
    const from = input.from('kept', input.name);
    t.true(
      answered > (rowsOfBody * outageMs) / 2_000,
      `${input.name}: what is logged is answered, whether the database is there or not`,
    );
    const isThere = async () => (await countOf(adapter, `SELECT COUNT(*) FROM ${from}`)) === answered;
    t.true(await until(isThere, patienceMs), `${input.name}: all that was answered is there`);
  }
  const scrapes = exporter.scrapes();
  const lastScrape = 'SELECT COUNT(*), MAX(`value`) FROM hostexporter.scrape_number';
  const isScraped = async () => {
    const [count, last] = (await rowsOf(adapter, lastScrape))[0] ?? [];
    return Number(last) >= scrapes && Number(count) === Number(last);
  };
  t.true(await until(isScraped, 60_000), 'every scrape that was made is stored');
  t.true(scrapes > outageMs / scrapeMs / 2, 'it is scraped while the database is away');
}
