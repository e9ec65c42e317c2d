import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { ensureDatabase } from '../../database/catalogue/ensure-database.js';
import { Access } from '../../database/catalogue/rights.js';
import type { Engine } from '../../database/engine/engine.js';
import type { Storage } from '../../database/store/storage.js';
import { type DatabaseDef, type TableDef, ticksPerSecond } from '../../model/schema.js';
import type { LabelMatcher } from '../../model/series-query.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { matchesOf, type SeriesTable } from '../../sql/plan/labelled-series.js';
import { hiddenSubTables } from '../../statements/lists/hidden-sub-tables.js';
import type { WritePipeline } from '../writes.js';
import { type MetricColumns, metricLabel, metricsOf, tableLabel } from './metric-columns.js';
import { requirePatterns } from './patterns.js';

/** Context in which series are read. */
export interface SeriesContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly writes: Pick<WritePipeline, 'visible'>;
  /** IANA zone of times in conditions of grants. */
  readonly connectionZone: string;
}

/** A table as a source of series, with the type of its metric. */
export interface MetricTable extends SeriesTable {
  /** Undefined where each series has the name of its metric among its labels. */
  readonly metric: string | undefined;
  readonly type: MetricColumns['type'];
}

/** Metrics of definitions, which never change. */
const metricsByTable = new WeakMap<TableDef, readonly MetricColumns[]>();

function knownMetricsOf(table: TableDef): readonly MetricColumns[] {
  let metrics = metricsByTable.get(table);
  if (metrics === undefined) {
    metrics = metricsOf(table);
    metricsByTable.set(table, metrics);
  }
  return metrics;
}

/** The database whose series a user reads. Throws the refusal of a user who may read none of it. */
export async function readableDatabase(
  name: string,
  user: string,
  { catalogue }: Pick<SeriesContext, 'catalogue'>,
): Promise<DatabaseDef> {
  const access = new Access(catalogue, user);
  if (!access.readsSome(name)) {
    await catalogue.sync();
    if (!access.readsSome(name)) access.require('READ', name);
  }
  return ensureDatabase(catalogue, { name, create: false, user });
}

/**
 * The tables of a database that may hold series which pass the matchers, as far as the user may read them. Regular
 * expressions are checked; a FaultError of kind `parameter` says which is none.
 */
export async function metricTables(
  database: DatabaseDef,
  user: string,
  matchers: readonly LabelMatcher[],
  context: SeriesContext,
  signal: AbortSignal,
): Promise<readonly MetricTable[]> {
  await requirePatterns(matchers, context.engine, signal);
  const named = matchers.filter(({ name }) => name === metricLabel);
  const hasAll = (): readonly MetricTable[] => candidates(database, user, named, context);
  let tables = hasAll();
  if (tables.length === 0) {
    // Another process may have made the table a moment ago.
    await context.catalogue.sync();
    tables = hasAll();
  }
  return withMatchingNames(tables, named, context.engine);
}

/**
 * A table beside `metrics` with the same JSON tag, as a source of series; undefined where there is none that the user
 * may read.
 */
export async function sideTable(
  database: DatabaseDef,
  user: string,
  name: string,
  { catalogue, storage, connectionZone }: SeriesContext,
): Promise<MetricTable | undefined> {
  const table = catalogue.table(database.name, name);
  const json = table?.tags.find((tag) => tag.type.name === 'JSON');
  if (table === undefined || json === undefined) return undefined;
  const hidden = hiddenRows(database, table, new Access(catalogue, user), connectionZone);
  if (hidden === 'all') return undefined;
  await storage.ensure(database, table);
  const metric = { metric: undefined, values: [], fixed: [], type: 'unknown' } as const;
  return metricTable(table, metric, BigInt(ticksPerSecond(database.precision)) / 1000n, hidden);
}

/** The readable tables, without those whose metric has another name than an equality asks for. */
function candidates(
  database: DatabaseDef,
  user: string,
  named: readonly LabelMatcher[],
  { catalogue, connectionZone }: SeriesContext,
): readonly MetricTable[] {
  const access = new Access(catalogue, user);
  const ticksPerMilli = BigInt(ticksPerSecond(database.precision)) / 1000n;
  const tables: MetricTable[] = [];
  for (const table of catalogue.tables(database.name)) {
    const metrics = knownMetricsOf(table).filter(
      ({ metric }) => metric === undefined || passesEqualities(metric, named),
    );
    if (metrics.length === 0) continue;
    const hidden = hiddenRows(database, table, access, connectionZone);
    if (hidden === 'all') continue;
    for (const metric of metrics) tables.push(metricTable(table, metric, ticksPerMilli, hidden));
  }
  return tables;
}

function hiddenRows(database: DatabaseDef, table: TableDef, access: Access, zone: string): Expr | undefined | 'all' {
  if (table.kind === 'normal') return access.may('READ', database.name, table.name) ? undefined : 'all';
  const hidden = hiddenSubTables({ database, table }, access, zone);
  if (hidden === 'none') return undefined;
  return hidden === 'all' ? 'all' : hidden.where;
}

function passesEqualities(metric: string, named: readonly LabelMatcher[]): boolean {
  return named.every(({ kind, value }) => {
    if (kind === 'equal') return metric === value;
    return kind !== 'not-equal' || metric !== value;
  });
}

function metricTable(
  table: TableDef,
  { metric, values, fixed, type }: MetricColumns,
  ticksPerMilli: bigint,
  hidden: Expr | undefined,
): MetricTable {
  const json = table.tags.find((tag) => tag.type.name === 'JSON')?.physical;
  const taken = new Set(fixed.map(([name]) => name));
  const tags = table.tags.flatMap(({ name, physical }) => {
    if (json !== undefined || name === noTag) return [];
    return [{ label: taken.has(name) ? `tag_${name}` : name, physical }];
  });
  const names = new Set([...taken, ...tags.map(({ label }) => label)]);
  const isNormal = table.kind === 'normal';
  const labels = {
    fixed: isNormal ? [...fixed, [tableLabel, table.name] as const] : fixed,
    json,
    tags,
    tableName: isNormal || names.has(tableLabel) || json !== undefined ? undefined : tableLabel,
  };
  return { table, values, labels, ticksPerMilli, hidden, metric, type };
}

/** The tag of a table whose rows came without tags, which is always NULL. */
const noTag = '_tag_null';

/** The tables whose metric passes the regular expressions for its name. */
async function withMatchingNames(
  tables: readonly MetricTable[],
  named: readonly LabelMatcher[],
  engine: Engine,
): Promise<readonly MetricTable[]> {
  const patterns = named.filter(({ kind }) => kind === 'match' || kind === 'not-match');
  const names = [...new Set(tables.flatMap(({ metric }) => (metric === undefined ? [] : [metric])))];
  if (patterns.length === 0 || names.length === 0) return tables;
  const rows = await engine.rows(matchesOf(names, patterns));
  const matching = new Set(rows.map(([name]) => name));
  return tables.filter(({ metric }) => metric === undefined || matching.has(metric));
}
