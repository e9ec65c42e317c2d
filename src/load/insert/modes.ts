import { httpLinesSink } from '../destination/http-lines.js';
import { httpStatements } from '../destination/http-statements.js';
import { type InsertTarget, insertEncoder } from '../encode/insert-sql.js';
import { linesEncoder } from '../encode/lines.js';
import type { RowEncoder } from '../encode/row-encoder.js';
import { storedName } from '../model/names.js';
import type { RowSink, RowText } from '../model/ports.js';
import type { RowRequest } from '../model/row-request.js';
import { type DatabasePlan, type InsertMode, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import type { RowSource } from '../rows/source.js';
import { linesSink, sqlSink } from '../sinks/embedded.js';
import { TelnetTcpSink } from '../sinks/telnet-tcp.js';
import { BlocksPath } from './blocks-path.js';
import type { FilledTable, InsertWays, RequestPart, RowPath } from './row-path.js';

/** Longest text of a schemaless request. */
const maxLinesBytes = 1024 * 1024;

/** The mode of a super table, or, where only HTTP reaches the database, the mode in its place. */
export function pathMode({ mode }: SuperTablePlan, { embedded }: InsertWays): InsertMode {
  if (embedded !== undefined) return mode;
  return isSchemaless(mode) ? 'sml-rest' : 'rest';
}

/** The path of a super table for one thread; `host` is that of telnet-format listeners. */
export function openPath(table: FilledTable, ways: InsertWays, host: string): RowPath {
  const { plan } = table;
  const { embedded, http, cut } = ways;
  switch (pathMode(plan, ways)) {
    case 'stmt':
      return new BlocksPath(table, needed(embedded));
    case 'taosc':
      return textPath(table, sqlEncoder(table), sqlSink(needed(embedded).run));
    case 'rest':
      return textPath(table, sqlEncoder(table), sqlSink(httpStatements(needed(http))), true);
    case 'sml':
      return textPath(table, schemalessEncoder(table), linesSink(needed(embedded).writeLines));
    case 'sml-rest': {
      const { tcpPort: port } = plan;
      const sink = port === undefined ? httpLinesSink(needed(http)) : new TelnetTcpSink({ host, port, cut });
      return textPath(table, schemalessEncoder(table), sink, true);
    }
  }
}

function needed<T>(way: T | undefined): T {
  if (way === undefined) throw new Error('A mode of the scenario has no way to the database.');
  return way;
}

function sqlEncoder({ database, plan, source }: FilledTable): RowEncoder {
  return insertEncoder(insertTarget(database, plan, source), plan.maxSqlBytes);
}

/** Names in statements of the tables of a super table. */
export function insertTarget(database: DatabasePlan, plan: SuperTablePlan, source: RowSource): InsertTarget {
  const written = plan.columns.slice(0, plan.partialColumns || plan.columns.length);
  const isPartial = written.length < plan.columns.length;
  return {
    database: storedName(database.name, database.escapeNames),
    quoted: plan.escapeNames,
    nameOf: (table) => source.tables.nameOf(table),
    using: plan.autoCreateTable && !plan.normalTables ? usingTarget(plan, source) : undefined,
    columns: isPartial ? ['ts', ...written.map(({ name }) => storedName(name, false))] : undefined,
  };
}

/** The super table and the tags of sub-tables that are created. */
export function usingTarget(plan: SuperTablePlan, source: RowSource) {
  return {
    superTable: storedName(plan.name, plan.escapeNames),
    tags: plan.tags,
    tagRows: (from: number, count: number) => source.tags.rows(from, count),
  };
}

function schemalessEncoder({ database, plan, source }: FilledTable): RowEncoder {
  const target = {
    format: plan.format,
    superTable: plan.name,
    precision: database.precision,
    tags: plan.tags,
    tagRows: (from: number, count: number) => source.tags.rows(from, count),
    nameOf: (table: number) => source.tables.nameOf(table),
    put: plan.tcpPort !== undefined,
  };
  return linesEncoder(target, maxLinesBytes);
}

/** Rows as text: one part for each text that they fill. */
function textPath(
  { database, plan }: FilledTable,
  encoder: RowEncoder,
  sink: RowSink<RowText>,
  isRemote = false,
): RowPath {
  const place = {
    database: storedName(database.name, database.escapeNames),
    format: encoder.format,
    precision: database.precision,
  };
  function* parts(request: RowRequest): Generator<RequestPart, void, void> {
    for (let from = 0; from < request.block.rows; ) {
      const { bytes, rows } = encoder.encode(request, from);
      from += rows;
      // The next request may be encoded while a short one is in flight.
      const text = request.block.rows < plan.rowsPerRequest ? Buffer.from(bytes) : bytes;
      yield { rows, send: (deadline) => sink.write({ ...place, rows, text }, deadline) };
    }
  }
  return {
    isRemote,
    parts,
    end: async (deadline) => sink.end?.(deadline),
    stop: async () => sink.stop?.(),
  };
}
