import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { SeriesNames } from '../../database/store/series-names.js';
import { type StaleSeriesContext, staleSeries } from '../../database/store/stale-series.js';
import { factsOf } from '../../events/facts.js';
import { findingsOf, type QueryFinding } from '../../events/query-rows.js';
import { type AbsenceRule, isAbove, passes, type QueryRule, type Rule, type ValueRule } from '../../events/rule.js';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';
import type { RuleTrial, TriedEvent, TriedEvents } from '../../model/rule-list.js';
import { quotedName } from '../../text/quoted-name.js';
import { absenceSince, checkQuery, type RunQuery, sqlQuery } from './scheduled-watch.js';

/** Context of {@link tryRule}. */
interface RuleTrialContext extends StaleSeriesContext {
  readonly catalogue: Catalogue;
  readonly names: Pick<SeriesNames, 'find'>;
  readonly query: RunQuery;
  readonly maxRowAgeMs: number;
}

/** Limits of inspected series, and of returned events. */
const [maxSeries, maxShown] = [10_000, 100];

/** A series that breaks a rule, or has broken it. */
interface TrialFinding extends QueryFinding {
  readonly rows: number | null;
  /** False if a later row has cleared the condition. */
  readonly isNow: boolean;
}

/**
 * Findings that a rule would have with the present data, and those whose condition is over. Records nothing. Rejects
 * with a FaultError.
 */
export async function tryRule(rule: Rule, context: RuleTrialContext, signal: AbortSignal): Promise<RuleTrial> {
  const findings = await findingsOfRule(rule, context, signal);
  return {
    name: rule.name,
    looked: inspectedText(rule, context.maxRowAgeMs),
    ...eventsOf(
      rule,
      findings.filter(({ isNow }) => isNow),
    ),
    earlier: eventsOf(
      rule,
      findings.filter(({ isNow }) => !isNow),
    ),
  };
}

function eventsOf(rule: Rule, findings: readonly TrialFinding[]): TriedEvents {
  const records = findings.slice(0, maxShown).map(({ element, tags, value, rows }): TriedEvent => {
    const { elementId, title, severity } = factsOf(rule, { element, tags, value, series: '' });
    return { elementId, title, severity, value, rows };
  });
  return { total: findings.length, records };
}

function findingsOfRule(rule: Rule, context: RuleTrialContext, signal: AbortSignal): Promise<readonly TrialFinding[]> {
  switch (rule.kind) {
    case 'value':
      return findValues(rule, context, signal);
    case 'absence':
      return findAbsences(rule, context);
    case 'query':
      return runRuleQuery(rule, context, signal);
  }
}

function inspectedText(rule: Rule, maxRowAgeMs: number): string {
  const recent = `rows of the last ${Math.round(maxRowAgeMs / 1000)} s`;
  switch (rule.kind) {
    case 'value':
      return rule.forMs === 0 ? recent : `${recent}: for how long they break the rule is not checked`;
    case 'absence':
      return 'series that had rows before, and have none now';
    case 'query':
      return rule.forMs === 0
        ? 'the rows of the query'
        : 'the rows of the query, now: for how long they are there is not looked at';
  }
}

async function findValues(
  rule: ValueRule,
  context: RuleTrialContext,
  signal: AbortSignal,
): Promise<readonly TrialFinding[]> {
  const { catalogue, query, maxRowAgeMs } = context;
  const table = catalogue.table(rule.database, rule.table);
  if (table === undefined) throw new FaultError(noSuchTable(rule));
  const isKnown = table.columns.some(({ name }) => name === rule.column);
  if (!isKnown)
    throw new FaultError(fault('parameter', Codes.free, `Table ${rule.table} has no column ${rule.column}`));
  const tags = table.tags.map(({ name }) => quotedName(name));
  const column = quotedName(rule.column);
  const breaks = `${column} ${rule.comparison} ${rule.threshold}`;
  // Between the two thresholds nothing changes.
  const over = rule.clear === undefined ? '' : `${column} ${isAbove(rule) ? '<=' : '>='} ${rule.clear}`;
  const state = `CASE WHEN ${breaks} THEN 1 ${over === '' ? 'ELSE 0' : `WHEN ${over} THEN 0`} END`;
  const breaking = `CASE WHEN ${breaks} THEN ${column} END`;
  const values = [`COUNT(${breaking}) AS \`#rows\``, `LAST(${breaking}) AS \`#value\``, `LAST(${state}) AS \`#now\``];
  const keys = ['tbname', ...tags];
  const rows = await query(
    rule.database,
    sqlQuery(`SELECT ${[...keys, ...values].join(', ')}
     FROM ${quotedName(rule.table)}
     WHERE _rowts > NOW() - ${maxRowAgeMs}a AND ${column} IS NOT NULL
     PARTITION BY ${keys.join(', ')} HAVING COUNT(${breaking}) > 0
     ORDER BY \`#now\` DESC, \`#rows\` DESC LIMIT ${maxSeries}`),
    maxSeries,
    signal,
  );
  return rows.flatMap((row) => {
    const { tbname, '#rows': count, '#value': value, '#now': now, ...others } = row;
    const named = new Map(Object.entries(others).flatMap(([name, cell]) => textsOf(name, cell)));
    const element = String(tbname);
    if (!passes(rule.tags, new Map([...named, ['tbname', element]]))) return [];
    return [{ element, tags: named, value: Number(value), rows: Number(count), isNow: Number(now) === 1 }];
  });
}

/** A tag with its text; members of a JSON tag count as tags. */
function textsOf(name: string, cell: unknown): (readonly [string, string])[] {
  if (cell === null || cell === undefined) return [];
  if (typeof cell !== 'object') return [[name, String(cell)]];
  return Object.entries(cell).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]);
}

async function findAbsences(rule: AbsenceRule, context: RuleTrialContext): Promise<readonly TrialFinding[]> {
  const { database, table } = rule;
  if (context.catalogue.table(database, table) === undefined) throw new FaultError(noSuchTable(rule));
  const now = Date.now();
  const silent = await staleSeries(context, rule, absenceSince(rule, now), now - rule.absenceMs);
  const elements = await Promise.all(
    silent.map(async ({ series }) => {
      const known = await context.names.find(database, table, series);
      if (known === undefined || !passes(rule.tags, new Map([...known.tags, ['tbname', known.name]]))) return undefined;
      return { element: known.name, tags: known.tags, value: null, rows: null, isNow: true };
    }),
  );
  return elements.filter((one) => one !== undefined);
}

async function runRuleQuery(
  rule: QueryRule,
  { query }: RuleTrialContext,
  signal: AbortSignal,
): Promise<readonly TrialFinding[]> {
  try {
    checkQuery(rule);
  } catch (error) {
    throw new FaultError(fault('parameter', Codes.free, reasonOf(error)));
  }
  const rows = await query(rule.database, rule, maxSeries, signal);
  return findingsOf(rows, rule.name).map(({ element, value, tags }) => ({
    element,
    value,
    tags,
    rows: null,
    isNow: true,
  }));
}

function noSuchTable({ database, table }: ValueRule | AbsenceRule) {
  return fault('parameter', Codes.free, `There is no table ${table} in database ${database}`);
}
