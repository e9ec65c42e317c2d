import test from 'ava';
import { boundTables } from '../../support/inputs/bound-rows.js';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { type Killed, killOne } from '../../support/service/kills.js';
import { directoryFor, rowsOf, sql, startAdapter } from '../../support/service/processes.js';
import { comesTrue, until } from '../../support/until.js';

const start = Date.UTC(2026, 0, 1);
const rowsPerBind = 100;
const writers = 3;

/** A writer that binds the rows of one new and one old table again and again, on a new connection after each failure. */
class Writer {
  /** Rows that were acknowledged. */
  rows = 0;
  isOver = false;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async run(port: () => number): Promise<void> {
    while (!this.isOver) {
      try {
        await this.#bind(await SocketClient.logIn(port(), { user: 'root', password: 'taosdata', db: 'killed' }));
      } catch {
        await comesTrue(() => this.isOver, 100);
      }
    }
  }

  async #bind(client: SocketClient): Promise<void> {
    const stmt_id = BigInt(String((await client.request('stmt2_init')).stmt_id));
    const statement = 'INSERT INTO ? USING s TAGS (?) VALUES (?, ?)';
    await client.request('stmt2_prepare', { stmt_id, sql: statement });
    while (!this.isOver) {
      const columns = [
        { type: 9, values: Array.from({ length: rowsPerBind }, (_, at) => start + this.rows + at) },
        { type: 4, values: Array.from({ length: rowsPerBind }, (_, at) => this.rows + at) },
      ];
      const tags = [{ type: 8, values: [this.#name] }];
      const { code } = await client.reply(client.send(9, stmt_id, boundTables([{ name: this.#name, tags, columns }])));
      if (code !== 0) throw new Error('The rows were not bound.');
      if ((await client.request('stmt2_exec', { stmt_id })).code !== 0) throw new Error('The rows were not written.');
      this.rows += rowsPerBind;
    }
    client.socket.terminate();
  }
}

test('acknowledged bound rows survive kills of the adapter and of the engine', async (t) => {
  t.timeout(240_000, 'processes are killed and started');
  const path = directoryFor(t);
  const world: Killed = { adapter: await startAdapter(t, [`--database.path=${path}`]) };
  for (const statement of [
    'CREATE DATABASE killed',
    'CREATE STABLE killed.s (ts TIMESTAMP, v INT) TAGS (w VARCHAR(10))',
  ]) {
    t.is((await sql(world.adapter, statement)).code, 0);
  }
  const all = Array.from({ length: writers }, (_, at) => new Writer(`w${at}`));
  const running = all.map((writer) => writer.run(() => world.adapter.port));
  for (const which of [0, 1, 2, 0]) {
    const before = all.map(({ rows }) => rows);
    t.true(await until(() => all.every(({ rows }, at) => rows > before[at]!)));
    await killOne(t, world, path, which);
  }
  const before = all.map(({ rows }) => rows);
  t.true(await until(() => all.every(({ rows }, at) => rows > before[at]!)));
  for (const writer of all) writer.isOver = true;
  await Promise.all(running);
  for (const [at, { rows }] of all.entries()) {
    const [[count, least, most] = []] = await rowsOf(
      world.adapter,
      `SELECT count(*), min(v), max(v) FROM killed.s WHERE w = 'w${at}' AND v < ${rows}`,
    );
    t.deepEqual([count, least, most], [rows, 0, rows - 1]);
  }
});
