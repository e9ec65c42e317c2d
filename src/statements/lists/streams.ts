import { StreamStates } from '../../database/store/stream-states.js';
import type { StreamDef, TsmaDef } from '../../model/derivation.js';
import { parseStatement } from '../../sql/parser/statement.js';
import { durationTicks } from '../../sql/times/timestamp.js';
import { type InlineRow, inlineRows } from './inline.js';
import { liveDatabases } from './live-tables.js';
import { columnsOf, type SystemFacts, type SystemTable } from './system-table.js';

/** Longest statement that is shown whole. */
const maxSqlCharacters = 2048;
/** Longest reason that is shown whole. */
const maxMessageCharacters = 512;

const columns = columnsOf(
  `stream_name V192, create_time TS, stream_id V19, sql V2048, status V20, source_db V64, target_db V64,
    target_table V192, watermark BIGINT, trigger V20, message V512`,
);

/** `ins_streams`: the state of each is read from the engine, for another process may run it. */
export const streamsTable: SystemTable = {
  columns,
  sql: async (facts) => inlineRows(columns, await streamRows(facts)),
};

async function streamRows({ catalogue, access, engine }: SystemFacts): Promise<InlineRow[]> {
  const seen = catalogue.derivations.streams().filter(({ target }) => access.sees(target.database));
  const states = await new StreamStates(engine).read(seen.map(({ id }) => id));
  return seen.map((stream) => {
    const { name, created, id, statement, source, target, paused } = stream;
    const fault = states.get(id)?.fault;
    const status = paused ? 'Paused' : fault === undefined ? 'Running' : 'Failed';
    const head = [name, created, id, statement.slice(0, maxSqlCharacters), status];
    const [watermark, trigger] = timing(stream);
    const message = fault === undefined ? null : fault.slice(0, maxMessageCharacters);
    return [...head, source.database, target.database, target.table, watermark, trigger, message];
  });
}

/** The watermark in milliseconds, and what makes the stream write. */
function timing({ statement }: StreamDef): readonly [number, string] {
  const parsed = parseStatement(statement);
  if (parsed.kind !== 'create-stream') return [0, ''];
  const { watermark, trigger } = parsed.options;
  const waits = watermark === undefined ? 0 : Number(durationTicks(watermark, 'ms') ?? 0n);
  return [waits, trigger.kind.toUpperCase().replaceAll('-', '_')];
}

/** `ins_tsmas` */
export const tsmasTable: SystemTable = {
  columns: columnsOf(
    `tsma_name V178, db_name V64, table_name V192, target_db V64, target_stb V192, stream_name V192, create_time TS,
      interval V64, create_sql V2048, func_list V1024`,
  ),
  rows: (facts) =>
    liveDatabases(facts, new Map())
      .flatMap(({ name }) => facts.catalogue.derivations.tsmas(name))
      .map(tsmaRow),
};

function tsmaRow({ name, database, table, created, interval, statement, functions }: TsmaDef): InlineRow {
  const [sql, list] = [statement.slice(0, maxSqlCharacters), functions.join(',').slice(0, 1024)];
  return [name, database, table, database, null, null, created, interval, sql, list];
}
