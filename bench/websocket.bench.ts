import { Agent } from 'node:http';
import { pathToFileURL } from 'node:url';
import { boundTables } from '../test/support/inputs/bound-rows.js';
import { SocketClient } from '../test/support/inputs/socket-client.js';
import { post, sendAll, startBenchService, usage } from './support/service.js';

const rowsPerRequest = 30_000;
const requests = 40;
const series = 100;
const rounds = 3;
const start = 1_760_000_000_000;

type Service = Awaited<ReturnType<typeof startBenchService>>;

function value(row: number, column: number): number {
  return ((row * 7919 + column * 104_729) % 100_000) / 1000;
}

/** The same rows as lines and as bound columns. */
function linesOf(request: number, table: string): Buffer {
  const lines = Array.from({ length: rowsPerRequest }, (_, row) => {
    const time = BigInt(start + request * rowsPerRequest + Math.floor(row / series)) * 1_000_000n;
    return `${table},device=d${row % series} a=${value(row, 0)},b=${value(row, 1)},c=${value(row, 2)} ${time}`;
  });
  return Buffer.from(lines.join('\n'));
}

function boundOf(request: number, prefix: string): Buffer {
  const each = rowsPerRequest / series;
  const tables = Array.from({ length: series }, (_, device) => {
    const rows = Array.from({ length: each }, (_, at) => at * series + device);
    const times = rows.map((row) => start + request * rowsPerRequest + Math.floor(row / series));
    const columns = [0, 1, 2].map((column) => ({ type: 7, values: rows.map((row) => value(row, column)) }));
    return {
      name: `${prefix}${device}`,
      tags: [{ type: 8, values: [`d${device}`] }],
      columns: [{ type: 9, values: times }, ...columns],
    };
  });
  return boundTables(tables);
}

async function bindAll(client: SocketClient, id: bigint, bodies: readonly Buffer[]): Promise<number> {
  const begun = performance.now();
  for (const body of bodies) {
    const bound = await client.reply(client.send(9, id, body));
    const { code, message } = bound.code === 0 ? await client.request('stmt2_exec', { stmt_id: id }) : bound;
    if (code !== 0) throw new Error(message);
    client.messages.length = 0;
  }
  return (performance.now() - begun) / 1000;
}

/** Without compression, as the connectors connect unless they are told otherwise. */
function logIn(service: Service): Promise<SocketClient> {
  const members = { user: 'root', password: 'taosdata', db: 'bench' };
  return SocketClient.logIn(service.port, members, '/ws', { perMessageDeflate: false });
}

/** Two statements at once, each on a connection of its own. */
async function openStatements(service: Service): Promise<{ client: SocketClient; id: bigint }[]> {
  return Promise.all(
    Array.from({ length: 2 }, async () => {
      const client = await logIn(service);
      const id = BigInt(String((await client.request('stmt2_init')).stmt_id));
      const sql = 'INSERT INTO ? USING bound TAGS (?) VALUES (?, ?, ?, ?)';
      const { code, message } = await client.request('stmt2_prepare', { stmt_id: id, sql });
      if (code !== 0) throw new Error(message);
      return { client, id };
    }),
  );
}

async function writes(service: Service): Promise<void> {
  await service.sql("CREATE DATABASE bench PRECISION 'ms'");
  await service.sql(
    'CREATE STABLE bound (ts TIMESTAMP, a DOUBLE, b DOUBLE, c DOUBLE) TAGS (device VARCHAR(10))',
    'bench',
  );
  const statements = await openStatements(service);
  const rows = rowsPerRequest * requests;
  for (let round = 0; round < rounds; round++) {
    const first = round * requests;
    const lines = Array.from({ length: requests }, (_, at) => linesOf(first + at, 'lines'));
    const bound = Array.from({ length: requests }, (_, at) => boundOf(first + at, 'b'));
    const before = usage(service.process.pid!).cpuSeconds;
    const lineSeconds = await sendAll(service.port, '/lineproto/v1/write?db=bench', lines, 2);
    const between = usage(service.process.pid!).cpuSeconds;
    const begun = performance.now();
    await Promise.all(
      statements.map(({ client, id }, at) =>
        bindAll(
          client,
          id,
          bound.filter((_, index) => index % 2 === at),
        ),
      ),
    );
    const boundSeconds = (performance.now() - begun) / 1000;
    const after = usage(service.process.pid!).cpuSeconds;
    const per = (seconds: number) => ((seconds / rows) * 1e6).toFixed(2);
    console.log(
      `round ${round + 1}, ${rowsPerRequest} rows a request, 2 connections: line protocol ${(rows / lineSeconds / 1e6).toFixed(2)} M rows/s, ` +
        `${per(between - before)} us of the adapter a row; stmt2 ${(rows / boundSeconds / 1e6).toFixed(2)} M rows/s, ${per(after - between)} us; ` +
        `${(lineSeconds / boundSeconds).toFixed(2)} times`,
    );
  }
  for (const table of ['lines', 'bound']) {
    const [[count] = []] = await service.sql(`SELECT COUNT(*) FROM ${table}`, 'bench');
    if (count !== rows * rounds) throw new Error(`${table} has ${count} rows, not ${rows * rounds}.`);
  }
  for (const { client } of statements) client.socket.close();
}

/** Reads all rows of a query without decoding them; gives their number. */
async function fetchAll(client: SocketClient, sql: string): Promise<number> {
  const { id, code, message } = await client.request('query', { sql });
  if (code !== 0) throw new Error(message);
  let rows = 0;
  for (;;) {
    client.messages.length = 0;
    const answer = await client.fetch(7, BigInt(String(id)), Buffer.from([1, 0]));
    if (answer.readUInt8(50) === 1) return rows;
    rows += answer.readInt32LE(55 + 8);
  }
}

async function reads(service: Service): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const client = await logIn(service);
  const sql = 'SELECT ts, a, b, c FROM bound LIMIT 1000000';
  for (let round = 0; round < rounds; round++) {
    let begun = performance.now();
    const answer = await post(agent, service.port, '/rest/sql/bench', Buffer.from(sql));
    const restMs = performance.now() - begun;
    begun = performance.now();
    const rows = await fetchAll(client, sql);
    const socketMs = performance.now() - begun;
    if (rows !== 1_000_000) throw new Error(`${rows} rows came.`);
    console.log(
      `round ${round + 1}, SELECT of 1,000,000 rows: REST ${(1e3 / restMs).toFixed(2)} M rows/s (${answer.body.length} bytes), ` +
        `WebSocket ${(1e3 / socketMs).toFixed(2)} M rows/s; ${(restMs / socketMs).toFixed(2)} times`,
    );
  }
  const times: [number[], number[]] = [[], []];
  for (let at = 0; at < 1_000; at++) {
    let begun = performance.now();
    await post(agent, service.port, '/rest/sql/bench', Buffer.from('SELECT 1'));
    times[0].push(performance.now() - begun);
    begun = performance.now();
    client.messages.length = 0;
    await new Promise((resolve) => {
      client.socket.once('message', resolve);
      client.tell('query', { sql: 'SELECT 1' });
    });
    times[1].push(performance.now() - begun);
    const { id } = JSON.parse(String(client.messages.at(-1)));
    client.tell('free_result', { id });
  }
  const [rest, socket] = times.map((all) => all.toSorted((a, b) => a - b)[500]!.toFixed(3));
  console.log(`SELECT 1, median of 1,000: REST ${rest} ms, WebSocket ${socket} ms`);
  client.socket.close();
  agent.destroy();
}

/** WebSocket beside line protocol and REST, in turns. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  try {
    await writes(service);
    await reads(service);
  } finally {
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
