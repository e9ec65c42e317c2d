import type { Label } from '../../model/label-set.js';
import { gridQuery, gridRange, gridSettings } from '../../promql/plan/grid-query.js';
import { readGrid } from '../../promql/plan/grid-rows.js';
import type { GridRequest, SeriesGrid } from '../../promql/source.js';
import { castTo, idColumn, rowsSource } from '../../sql/engine/storage.js';
import { type FormattedQuery, MatchedSeries, printRows } from '../../sql/plan/labelled-series.js';
import type { MetricTable } from './series-tables.js';

/**
 * The statement that computes a request for series of a table, or for those with `ids`; undefined when its time range
 * is empty.
 */
export function gridStatement(
  table: MetricTable,
  request: GridRequest,
  ids: readonly bigint[] | undefined,
): FormattedQuery | undefined {
  const matched = new MatchedSeries(table, request.matchers);
  const { startMs, endMs } = gridRange(request);
  const where = matched.rowTerms({ startMs: BigInt(startMs), endMs: BigInt(endMs) }, ids);
  if (where === undefined) return undefined;
  const query = gridQuery(request, {
    from: rowsSource(table.table.storage, 'r'),
    where,
    id: idColumn('r'),
    millis: matched.millis,
    value: castTo(matched.value, 'Nullable(Float64)'),
  });
  return { statement: `${printRows(query)}, ${gridSettings}`, format: 'RowBinary' };
}

/** Gathers grids of several tables. */
export class GridColumns {
  readonly #steps: number;
  readonly #parts: SeriesGrid[] = [];

  constructor(steps: number) {
    this.#steps = steps;
  }

  /**
   * Adds the result of a statement; `labels` has those of the series by their ids, and others are left out. False when
   * it is not exact.
   */
  add(rows: Buffer, labels: ReadonlyMap<bigint, readonly Label[]>): boolean {
    const grid = readGrid(rows, this.#steps);
    if (grid === undefined) return false;
    const { ids, values, present } = grid;
    const known = Array.from(ids, (id) => labels.get(id));
    // A series that was registered after the labels were read belongs to a later result.
    for (const [i, each] of known.entries())
      if (each === undefined) present.fill(0, i * this.#steps, (i + 1) * this.#steps);
    this.#parts.push({ labels: known.map((each) => each ?? []), values, present });
    return true;
  }

  /** The grid of all tables. */
  finish(): SeriesGrid {
    const [first, ...others] = this.#parts;
    if (first === undefined) return { labels: [], values: new Float64Array(0), present: new Uint8Array(0) };
    if (others.length === 0) return first;
    const length = this.#parts.reduce((sum, { present }) => sum + present.length, 0);
    const values = new Float64Array(length);
    const present = new Uint8Array(length);
    let at = 0;
    for (const part of this.#parts) {
      values.set(part.values, at);
      present.set(part.present, at);
      at += part.present.length;
    }
    return { labels: this.#parts.flatMap(({ labels }) => labels), values, present };
  }
}
