import type { Engine, ResultOptions } from '../../database/engine/engine.js';
import { statementOfIds, withIds } from '../../sql/engine/chosen-series.js';
import type { QueryPlan } from '../../sql/plan/query.js';

/** So many series are few: one thread reads them as soon as several, if they are short. */
const mostChosen = 16;

/** What the engine is asked for the rows of a plan. */
type PlannedStatement = Pick<QueryPlan, 'sql' | 'settings'> & {
  /** It reads nothing but short series. */
  readonly isLight: boolean;
};

/**
 * The statement of a plan. Where conditions on tags choose a few series, their ids stand in it: the engine is asked for these first, and its host keeps that answer
 * until tags change. A statement with ids takes the engine half as long. Rejects as the engine does.
 */
export async function statementOf(
  plan: QueryPlan,
  engine: Pick<Engine, 'result' | 'cluster'>,
  how: ResultOptions,
): Promise<PlannedStatement> {
  const { chosen, sql, settings, series } = plan;
  const asPlanned = { sql, settings, isLight: series !== undefined };
  // The nodes of a cluster keep no answers.
  if (chosen === undefined || engine.cluster !== undefined) return asPlanned;
  const pieces: Uint8Array[] = [];
  const light = { ...how, hasFewRows: true, isLight: true };
  for await (const piece of await engine.result(statementOfIds(chosen, mostChosen), light)) pieces.push(piece);
  const ids = Buffer.concat(pieces).toString('latin1').split('\n').slice(0, -1);
  if (ids.length === 0 || ids.length > mostChosen) return asPlanned;
  const { merging, readsLittle } = chosen;
  const asked = merging !== undefined && ids.length <= merging.most ? merging : { sql, settings: chosen.settings };
  return { sql: withIds(asked.sql, chosen, ids), settings: asked.settings, isLight: readsLittle };
}
