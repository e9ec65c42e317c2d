import { randomUUID } from 'node:crypto';
import { administrator } from '../../database/catalogue/principals.js';
import type { SqlAnswer, SqlRequest } from '../../model/exchange.js';
import type { SqlPipeline } from '../sql.js';
import type { RunQuery } from './scheduled-watch.js';

/** Nobody proves who asks: rules are the operator's. */
const ownCredentials = { scheme: 'token', token: '' } as const;

/** Runs the queries of rules, as the administrator, through the pipeline of statements. */
export function queriesOver(sql: Pick<SqlPipeline, 'runAs'>): RunQuery {
  return async (database, text, limit, signal) => {
    const request: SqlRequest = {
      statement: Buffer.from(text),
      database,
      credentials: ownCredentials,
      timeZone: 'UTC',
      connectionZone: undefined,
      keyed: true,
      rowLimit: limit,
    };
    const answer = await sql.runAs(administrator, randomUUID(), request, signal);
    return answer.kind === 'rows' ? readRows(answer, limit) : [];
  };
}

/** The rows of an answer, at most `limit` of them: leaving the loop ends the query. */
async function readRows({ lines }: Extract<SqlAnswer, { kind: 'rows' }>, limit: number) {
  const rows: Readonly<Record<string, unknown>>[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of lines) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      const row: Readonly<Record<string, unknown>> = JSON.parse(line);
      rows.push(row);
      if (rows.length >= limit) return rows;
    }
  }
  return rows;
}
