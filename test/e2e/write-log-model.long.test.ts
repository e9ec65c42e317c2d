import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { moreCases } from '../support/cases.js';
import { propertyRuns } from '../support/property-seed.js';
import { type Killed, killOne } from '../support/service/kills.js';
import { directoryFor, post, type SqlReply, startAdapter } from '../support/service/processes.js';
import { comesTrue } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const lazy = '--write.flushInterval=10s';

/** One row of a table: its series, its time, and the fields that it brings. */
interface Row {
  readonly series: number;
  readonly time: number;
  readonly fields: Readonly<Record<string, number>>;
}

/** What a program may do, one step after the other. Lines go to tables `a` and `b`, statements to `s`. */
type Step =
  | { readonly do: 'lines'; readonly table: 'a' | 'b'; readonly rows: readonly Row[]; readonly ack: string }
  | { readonly do: 'insert'; readonly rows: readonly Row[]; readonly ack: string }
  | { readonly do: 'delete'; readonly table: Table; readonly until: number }
  | { readonly do: 'drop'; readonly table: Table }
  | { readonly do: 'kill'; readonly which: number }
  | { readonly do: 'read' };

type Table = 'a' | 'b' | 's';
type Rows = Map<string, Record<string, number>>;

const fieldNames = ['x', 'y', 'z'] as const;
const rows = fc.array(
  fc.record({
    series: fc.integer({ min: 1, max: 3 }),
    time: fc.integer({ min: 1, max: 8 }),
    fields: fc
      .uniqueArray(fc.constantFrom(...fieldNames), { minLength: 1 })
      .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 0, max: 99 })])))),
  }),
  { minLength: 1, maxLength: 5 },
);
const ack = fc.constantFrom('', '', 'logged', 'stored');
const table = fc.constantFrom('a', 'b', 's');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('lines'), table: fc.constantFrom('a', 'b'), rows, ack }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('insert'), rows, ack }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), table, until: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop'), table }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill'), which: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read') }) },
);

/** What is in the tables when nothing ever waits or fails. */
class Model {
  readonly #tables = new Map<Table, Rows>([['s', new Map()]]);

  write(name: Table, written: readonly Row[]): void {
    const rows = this.#tables.get(name) ?? new Map();
    this.#tables.set(name, rows);
    for (const { series, time, fields } of written) {
      const key = `${series} ${time}`;
      rows.set(key, { ...rows.get(key), ...fields });
    }
  }

  delete(name: Table, until: number): void {
    for (const key of this.#tables.get(name)?.keys() ?? []) {
      if (Number(key.split(' ')[1]) <= until) this.#tables.get(name)!.delete(key);
    }
  }

  drop(name: Table): void {
    if (name === 's') this.#tables.set('s', new Map());
    else this.#tables.delete(name);
  }

  has(name: Table): boolean {
    return this.#tables.has(name);
  }

  /** Rows as text, in order; undefined where there is no such table. */
  rows(name: Table): string[] | undefined {
    const rows = this.#tables.get(name);
    return (
      rows &&
      [...rows]
        .map(([key, fields]) =>
          rowText(
            key,
            fieldNames.map((field) => fields[field]),
          ),
        )
        .sort()
    );
  }
}

function rowText(key: string, values: readonly unknown[]): string {
  return `${key}: ${values.map((value) => value ?? 'null').join(' ')}`;
}

/** A service whose answers are waited for: what fails because something was killed is done again. */
class Sut {
  readonly #world: Killed;
  readonly #database: string;

  constructor(world: Killed, database: string) {
    this.#world = world;
    this.#database = database;
  }

  async statement(text: string, query = ''): Promise<readonly (readonly unknown[])[]> {
    let last: unknown;
    let data: readonly (readonly unknown[])[] = [];
    const isDone = await comesTrue(async () => {
      try {
        const answer = await post(this.#world.adapter.port, `/rest/sql${query}`, text);
        last = answer.text;
        const body: SqlReply = JSON.parse(answer.text);
        data = body.data ?? [];
        return body.code === 0;
      } catch (error) {
        last = String(error);
        return false;
      }
    }, 60_000);
    if (!isDone) throw new Error(`${text}: ${JSON.stringify(last)}`);
    return data;
  }

  async lines(body: string, query: string): Promise<void> {
    let last: unknown;
    const path = `/lineproto/v1/write?db=${this.#database}&precision=ms${query}`;
    const isDone = await comesTrue(async () => {
      last = await post(this.#world.adapter.port, path, body).catch((error: unknown) => String(error));
      return typeof last === 'object' && last !== null && 'status' in last && last.status === 204;
    }, 60_000);
    if (!isDone) throw new Error(`${body}: ${JSON.stringify(last)}`);
  }

  /** Rows as {@link Model.rows} has them. */
  async rows(name: Table): Promise<string[]> {
    const time = name === 's' ? 'ts' : '_ts';
    const known = (await this.statement(`DESCRIBE ${this.#database}.${name}`)).map(([column]) => String(column));
    const fields = fieldNames.map((field) => (known.includes(field) ? field : 'NULL'));
    const rows = await this.statement(
      `SELECT w, CAST(${time} AS BIGINT), ${fields.join(', ')} FROM ${this.#database}.${name}`,
    );
    return rows.map(([series, ms, ...values]) => rowText(`${series} ${Number(ms) - startMs}`, values)).sort();
  }
}

async function runProgram(t: ExecutionContext, world: Killed, path: string, database: string, steps: readonly Step[]) {
  const sut = new Sut(world, database);
  const model = new Model();
  const makeStatements = `CREATE STABLE IF NOT EXISTS ${database}.s (ts TIMESTAMP, x BIGINT, y BIGINT, z BIGINT) TAGS (w INT)`;
  await sut.statement(`CREATE DATABASE IF NOT EXISTS ${database} PRECISION 'ms'`);
  await sut.statement(makeStatements);
  const compare = async (at: number): Promise<void> => {
    for (const name of ['a', 'b', 's'] as const) {
      const expected = model.rows(name);
      if (expected !== undefined) t.deepEqual(await sut.rows(name), expected, `table ${name} after step ${at}`);
    }
  };
  for (const [at, step] of steps.entries()) {
    if (step.do === 'read') await compare(at);
    else if (step.do === 'kill') await killOne(t, world, path, step.which, lazy);
    else if (step.do === 'lines') {
      model.write(step.table, step.rows);
      const lines = step.rows.map(({ series, time, fields }) => {
        const set = Object.entries(fields).map(([name, value]) => `${name}=${value}i`);
        return `${step.table},w=${series} ${set.join(',')} ${startMs + time}`;
      });
      await sut.lines(lines.join('\n'), step.ack === '' ? '' : `&ack=${step.ack}`);
    } else if (step.do === 'insert') {
      model.write('s', step.rows);
      const parts = step.rows.map(({ series, time, fields }) => {
        const names = Object.keys(fields);
        const values = names.map((name) => fields[name]);
        return `${database}.s${series} USING ${database}.s TAGS (${series}) (ts, ${names.join(', ')}) VALUES (${startMs + time}, ${values.join(', ')})`;
      });
      await sut.statement(`INSERT INTO ${parts.join(' ')}`, step.ack === '' ? '' : `?ack=${step.ack}`);
    } else if (!model.has(step.table)) continue;
    else if (step.do === 'delete') {
      model.delete(step.table, step.until);
      const time = step.table === 's' ? 'ts' : '_ts';
      await sut.statement(`DELETE FROM ${database}.${step.table} WHERE ${time} <= ${startMs + step.until}`);
    } else {
      model.drop(step.table);
      await sut.statement(`DROP STABLE IF EXISTS ${database}.${step.table}`);
      if (step.table === 's') await sut.statement(makeStatements);
    }
  }
  await compare(steps.length);
  await sut.statement(`DROP DATABASE IF EXISTS ${database}`);
}

test('programs of writes, reads, definitions and kills have the results of one that never waits', async (t) => {
  const runs = propertyRuns(moreCases(4, 8));
  t.timeout(60_000 + runs * 60_000);
  const path = directoryFor(t);
  const world: Killed = { adapter: await startAdapter(t, [`--database.path=${path}`, lazy]) };
  let programs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await runProgram(t, world, path, `p${programs++}`, steps);
    }),
    { numRuns: runs },
  );
});
