import type { RuleTrial } from '../../../src/model/rule-list.js';
import { Matcher, readAnswer, readBody } from '../messages/remote-messages.js';
import { type Listening, post, rowsOf, sql } from '../service/processes.js';
import { basic } from '../service/service.js';
import type { AcknowledgingInput } from './acknowledging-inputs.js';

/** A client that writes rows numbered from 1 under one name, each for a series of its own, and reads them. */
export interface OwnRows {
  readonly adapter: Listening;
  readonly database: string;
  readonly input: AcknowledgingInput;
  readonly name: string;
  /** Number and time, in Unix ms, of the newest row. */
  readonly number: number;
  readonly ms: number;
}

/** Writer of a row, by its number. */
export const writerOf = (number: number): string => `w${number}`;

/** A way to read; gives the number of the newest row, which is also how many rows there are. */
interface OwnRead {
  readonly name: string;
  /** The input whose rows alone can be read like this, unless it is left out. */
  readonly input?: string;
  readonly newest: (own: OwnRows) => Promise<unknown>;
}

const fromOf = ({ input, database, name }: OwnRows): string => input.from(database, name);
const viewOf = (name: string): string => `${name}_seen`;
const copyOf = (name: string): string => `${name}_copied`;

async function cell({ adapter }: OwnRows, statement: string): Promise<unknown> {
  return (await rowsOf(adapter, statement))[0]?.[0];
}

async function copied(own: OwnRows): Promise<unknown> {
  const target = `${own.database}.${copyOf(own.name)}`;
  const { code, desc } = await sql(own.adapter, `INSERT INTO ${target} (ts, n) SELECT ts, n FROM ${fromOf(own)}`);
  if (code !== 0) throw new Error(desc);
  return cell(own, `SELECT COUNT(*) FROM ${target}`);
}

async function tried(own: OwnRows): Promise<unknown> {
  const query = `SELECT 'all' AS element, MAX(${own.input.column}) AS value FROM ${fromOf(own)}`;
  const rule = `name = "newest"\ndatabase = "${own.database}"\nsql = """${query}"""`;
  const { text } = await post(own.adapter.port, '/api/v1/rules/try', rule);
  const { records }: RuleTrial = JSON.parse(text);
  return records[0]?.value;
}

async function readRemotely({ adapter, database, name, ms }: OwnRows): Promise<unknown> {
  const matchers = [{ type: Matcher.EQ, name: '__name__', value: name }];
  const body = readBody([{ start_timestamp_ms: 0, end_timestamp_ms: ms, matchers }]);
  const url = `http://127.0.0.1:${adapter.port}/metricsdb/v1/remote_read/${database}`;
  const reply = await fetch(url, { method: 'POST', body, headers: { authorization: basic } });
  return readAnswer(new Uint8Array(await reply.arrayBuffer()))[0]?.length;
}

/** Every kind of read; those of one input come first. */
export const ownReads: readonly OwnRead[] = [
  { name: 'copy', input: 'statements', newest: copied },
  {
    name: 'list of tables',
    input: 'lines',
    newest: (own) => cell(own, `SELECT COUNT(*) FROM information_schema.ins_tables WHERE stable_name = '${own.name}'`),
  },
  { name: 'remote read', input: 'samples', newest: readRemotely },
  { name: 'count', newest: (own) => cell(own, `SELECT COUNT(*) FROM ${fromOf(own)}`) },
  { name: 'last row', newest: (own) => cell(own, `SELECT LAST(${own.input.column}) FROM ${fromOf(own)}`) },
  {
    name: 'one series',
    newest: (own) => {
      const { input, database, name, number } = own;
      return cell(own, `SELECT ${input.column} FROM ${input.from(database, name, writerOf(number))}`);
    },
  },
  {
    name: 'subquery',
    newest: (own) => cell(own, `SELECT COUNT(*) FROM (SELECT DISTINCT ${own.input.column} FROM ${fromOf(own)})`),
  },
  {
    name: 'union',
    newest: (own) => {
      const half = `SELECT ${own.input.column} AS n FROM ${fromOf(own)}`;
      return cell(own, `SELECT COUNT(*) / 2 FROM (${half} UNION ALL ${half})`);
    },
  },
  { name: 'view', newest: (own) => cell(own, `SELECT MAX(n) FROM ${own.database}.${viewOf(own.name)}`) },
  { name: 'query of a rule', newest: tried },
];

/** What the reads of a client need, once there is a row. */
export async function prepareReads(own: OwnRows): Promise<void> {
  const { adapter, database, name, input } = own;
  const view = `CREATE VIEW ${database}.${viewOf(name)} AS SELECT ${input.column} AS n FROM ${fromOf(own)}`;
  const copy = `CREATE TABLE ${database}.${copyOf(name)} (ts TIMESTAMP, n BIGINT)`;
  for (const statement of [view, copy]) {
    const { code, desc } = await sql(adapter, statement);
    if (code !== 0) throw new Error(`${statement}: ${desc}`);
  }
}
