import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import test from 'ava';
import { openEmbeddedService } from '../../../src/load/destination/embedded-service.js';
import { httpLinesSink } from '../../../src/load/destination/http-lines.js';
import { HttpService } from '../../../src/load/destination/http-service.js';
import { httpStatements } from '../../../src/load/destination/http-statements.js';
import type { LateEnding, RowBlocks, RowSink, RowText } from '../../../src/load/model/ports.js';
import { blocksSink, linesSink, sqlSink } from '../../../src/load/sinks/embedded.js';
import { TelnetTcpSink } from '../../../src/load/sinks/telnet-tcp.js';
import type { WireFormat } from '../../../src/model/batch.js';
import type { Chunks } from '../../../src/model/exchange.js';
import { type SinkUnderTest, sinkContract } from '../../contracts/sink-contract.js';
import { blockOf, int } from '../../support/blocks/blocks.js';
import { connectionTo } from '../../support/load/load-tool.js';
import { startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const telnetDatabase = 'telnet_sink';
// An outage is a failed write only to those who wait for storage.
const { service, end } = await startService(
  '--write.ack=stored',
  '--tsdbwire_telnet.enable',
  '--tsdbwire_telnet.ports=0',
  `--tsdbwire_telnet.dbs=${telnetDatabase}`,
);
const embedded = await openEmbeddedService(
  connectionTo(service),
  { version: '0', log: { debug() {} }, stop: new AbortController().signal },
  { statements: 16, connections: 4, creditBytes: 1 << 25 },
);
const http = new HttpService({
  host: '127.0.0.1',
  port: service.port,
  user: 'root',
  password: 'taosdata',
  connections: 4,
});
await service.run('CREATE DATABASE sinks');
await service.run(`CREATE DATABASE IF NOT EXISTS ${telnetDatabase}`);
await service.run('CREATE TABLE sinks.alive (ts TIMESTAMP, v INT)');
test.after.always(async () => {
  await embedded.stop();
  http.close();
  await end();
});

let tables = 0;
let ticks = 1_700_000_000_000;
const rowsOfBatch = 3;

/** Kills the engine; the result waits until the service has another one. */
async function outage(): Promise<() => Promise<void>> {
  process.kill(service.enginePid(), 'SIGKILL');
  await until(async () => !(await isUp()));
  return async () => {
    await until(isUp);
  };
}

async function isUp(): Promise<boolean> {
  return (await service.sql('SELECT COUNT(*) FROM sinks.alive')).body.code === 0;
}

function rowText(database: string, format: WireFormat, text: string): RowText {
  return { database, format, precision: 'ms', rows: rowsOfBatch, text: Buffer.from(text) };
}

/** Text of some rows with times of their own. */
function lines(row: (time: number) => string): string {
  return Array.from({ length: rowsOfBatch }, () => row(ticks++)).join('');
}

async function counted(database: string, table: string, expected: number): Promise<number> {
  let count = 0;
  await until(async () => {
    const { body } = await service.sql(`SELECT COUNT(*) FROM ${database}.${table}`);
    count = body.code === 0 ? Number(body.data[0]?.[0] ?? 0) : 0;
    return count >= expected;
  });
  return count;
}

/** A sink of text whose batches all go to one new table. */
function textSink(
  sink: () => RowSink<RowText>,
  format: WireFormat,
  text: (table: string) => string,
  database = 'sinks',
): () => Promise<SinkUnderTest<RowText>> {
  return async () => {
    const table = `t${++tables}`;
    if (format === 'sql-insert') await service.run(`CREATE TABLE sinks.${table} (ts TIMESTAMP, v INT)`);
    const tested = sink();
    return {
      sink: tested,
      good: () => rowText(database, format, text(table)),
      impossible: () => (tested instanceof TelnetTcpSink ? undefined : rowText('nowhere', format, text(table))),
      stored: (expected) => counted(database, table, expected),
      outage,
      end: async () => tested.stop?.(),
    };
  };
}

const insert = (table: string) => `INSERT INTO ${table} VALUES ${lines((time) => `(${time},1)`)}`;
const points = (table: string) => lines((time) => `${table},a=1 v=1i32 ${time}\n`);
const puts = (table: string) => lines((time) => `${table} ${time} 1 a=1\n`);
const objects = (table: string) =>
  `[${lines((time) => `{"metric":"${table}","timestamp":${time},"value":1,"tags":{"a":"1"}},`).slice(0, -1)}]`;

const contract = <R extends RowText | RowBlocks>(name: string, make: () => Promise<SinkUnderTest<R>>): void =>
  sinkContract<R>(test.serial, name, make);

contract(
  'sql-text',
  textSink(() => sqlSink(embedded.run), 'sql-insert', insert),
);
contract(
  'rest statements',
  textSink(() => sqlSink(httpStatements(http)), 'sql-insert', insert),
);
contract(
  'lines',
  textSink(() => linesSink(embedded.writeLines), 'lineproto', points),
);
contract(
  'rest lines of lineproto',
  textSink(() => httpLinesSink(http), 'lineproto', points),
);
contract(
  'rest lines of telnet',
  textSink(() => httpLinesSink(http), 'tsdbwire-telnet', puts),
);
contract(
  'rest lines of JSON',
  textSink(() => httpLinesSink(http), 'tsdbwire-json', objects),
);

contract('blocks', async (): Promise<SinkUnderTest<RowBlocks>> => {
  const table = `t${++tables}`;
  await service.run(`CREATE TABLE sinks.${table} (ts TIMESTAMP, v INT)`);
  await embedded.catalogue.sync();
  const id = embedded.catalogue.table('sinks', table)!.seriesId!;
  const batch = (database: string): RowBlocks => {
    const rows = Array.from({ length: rowsOfBatch }, () => [id, BigInt(ticks++), { v: 1 }] as const);
    const block = { ...blockOf(table, { v: int }, rows), database };
    return { blocks: [block], rows: rowsOfBatch, bytes: 100 };
  };
  return {
    sink: blocksSink(embedded.writeBlocks),
    good: () => batch('sinks'),
    impossible: () => batch('nowhere'),
    stored: (expected) => counted('sinks', table, expected),
    outage,
    end: async () => {},
  };
});

test.serial(
  'telnet-tcp: lines are stored, a listener that is gone fails for now, and a stop waits for what was written',
  async (t) => {
    const make = textSink(
      () => new TelnetTcpSink({ host: '127.0.0.1', port: service.listeners.get(telnetDatabase) ?? 0 }),
      'tsdbwire-telnet',
      (table) => lines((time) => `put ${table} ${time} 1 a=1\n`),
      telnetDatabase,
    );
    const rig = await make();
    for (let i = 0; i < 4; i++) {
      t.is((await rig.sink.write(rig.good(), AbortSignal.timeout(20_000))).outcome, 'delivered');
    }
    t.is((await rig.sink.write(rig.good(), AbortSignal.abort())).outcome, 'failed');
    await rig.end();
    await rig.end();
    // What the deadline was too short for may have been written.
    t.true((await rig.stored(4 * rowsOfBatch)) >= 4 * rowsOfBatch);
    const gone = new TelnetTcpSink({ host: '127.0.0.1', port: 1 });
    t.is((await gone.write(rig.good(), AbortSignal.timeout(20_000))).outcome, 'failed');
    await gone.stop();
  },
);

test.serial(
  'telnet-tcp: what a listener refuses, and what a broken connection loses, is the result of the end',
  async (t) => {
    const deadline = AbortSignal.timeout(20_000);
    let answer = (socket: Socket): void => void socket.end('put: refused: Database not exist (lines: 3)\n');
    const listener = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {}).resume();
      socket.on('end', () => answer(socket));
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const batch = rowText('any', 'tsdbwire-telnet', 'put m 1 1 a=1\n'.repeat(5));
    const ended = async (): Promise<LateEnding | undefined> => {
      const sink = new TelnetTcpSink({ host: '127.0.0.1', port });
      t.like(await sink.write(batch, deadline), { outcome: 'delivered', rows: batch.rows });
      return sink.end(deadline);
    };
    t.like(await ended(), { rows: 3, fault: { kind: 'database' } });
    answer = (socket) => socket.resetAndDestroy();
    t.like(await ended(), { rows: batch.rows, fault: { kind: 'network' } });
    answer = (socket) => socket.end();
    t.is(await ended(), undefined);
    listener.close();
  },
);

test.serial('statements over HTTP give rows and refusals as the front-end in the process does', async (t) => {
  const overHttp = httpStatements(http);
  for (const statement of [
    "SELECT 9007199254740993, 'a]\"[', NULL",
    'SHOW USERS',
    'SELECT COUNT(*) FROM sinks.alive',
  ]) {
    const [ours, theirs] = [await embedded.run(statement), await overHttp(statement)];
    if (ours.kind !== 'rows' || theirs.kind !== 'rows') return t.fail();
    t.deepEqual(
      theirs.meta.map(({ name }) => name),
      ours.meta.map(({ name }) => name),
    );
    t.is(await textOf(theirs.lines), await textOf(ours.lines));
  }
  t.deepEqual(await overHttp('CREATE DATABASE IF NOT EXISTS sinks'), { kind: 'affected', rows: 0 });
  const refused = await t.throwsAsync(overHttp('SELECT * FROM nowhere.n'));
  t.regex(refused?.message ?? '', /Database not exist/);
});

test.serial('the bad rows of a request over the write routes are counted', async (t) => {
  const sink = httpLinesSink(http);
  const text = 'partly,a=1 v=1i32 1700000000000\nno line\npartly,a=1 v=2i32 1700000000001\n';
  const delivery = await sink.write(rowText('sinks', 'lineproto', text), AbortSignal.timeout(20_000));
  t.like(delivery, { outcome: 'delivered', rows: 2, rejectedRows: 1 });
  if (delivery.outcome === 'delivered') t.is(delivery.rejects[0]?.row, 1);
});

async function textOf(lines: Chunks): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of lines) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
