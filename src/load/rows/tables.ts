import { storedName } from '../model/names.js';
import type { SuperTablePlan } from '../model/scenario.js';
import type { TableRange, Turn } from './plan.js';

/** The tables of a super table that are filled, by index. */
export interface TableSet extends TableRange {
  /** Name as stored. */
  nameOf(table: number): string;
}

type NamePlan = Pick<
  SuperTablePlan,
  'name' | 'childPrefix' | 'childCount' | 'childFrom' | 'childTo' | 'escapeNames' | 'normalTables'
>;

/** Tables `prefix0`, `prefix1`, …; a single normal table has the super table's name. */
export function tablesOf(plan: NamePlan, count: number = plan.childCount): TableSet {
  const { childFrom: from, escapeNames } = plan;
  const to = Math.min(plan.childTo, Math.max(count, from));
  if (plan.normalTables && plan.childCount === 1) return { from, to, nameOf: () => storedName(plan.name, escapeNames) };
  return { from, to, nameOf: (table) => storedName(`${plan.childPrefix}${table}`, escapeNames) };
}

/** Tables that exist already. Their names are bytes in memory: there may be millions. */
export function tablesNamed(names: Iterable<string>): TableSet {
  let bytes = Buffer.alloc(1024);
  const ends: number[] = [0];
  for (const name of names) {
    const from = ends[ends.length - 1]!;
    const need = from + Buffer.byteLength(name);
    if (need > bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(need)]);
    bytes.write(name, from);
    ends.push(need);
  }
  const offsets = Uint32Array.from(ends);
  return {
    from: 0,
    to: offsets.length - 1,
    nameOf: (table) => bytes.toString('utf8', offsets[table], offsets[table + 1]),
  };
}

/** The series ids of rows. */
export class SeriesIds {
  readonly #idOf: ((table: number) => bigint) | undefined;
  /** Ids of all tables of a range that is written in rounds. */
  readonly #known: BigUint64Array | undefined;
  readonly #from: number;

  /** Without `seriesOf` all ids are 0. With `inRounds` each is computed once, otherwise whenever a table begins. */
  constructor(
    tables: TableSet,
    { from, to }: TableRange,
    seriesOf: ((table: string) => bigint) | undefined,
    inRounds: boolean,
  ) {
    this.#idOf = seriesOf && ((table) => seriesOf(tables.nameOf(table)));
    this.#from = from;
    if (inRounds && seriesOf !== undefined) {
      this.#known = BigUint64Array.from({ length: to - from }, (_, at) => seriesOf(tables.nameOf(from + at)));
    }
  }

  /** The id of each row of a turn. */
  of({ from, to, rows }: Turn): BigUint64Array {
    const known = this.#known;
    if (known !== undefined && rows === 1) return known.subarray(from - this.#from, to - this.#from);
    const ids = new BigUint64Array((to - from) * rows);
    const idOf = this.#idOf;
    if (idOf === undefined) return ids;
    for (let table = from, at = 0; table < to; table++, at += rows) {
      ids.fill(known?.[table - this.#from] ?? idOf(table), at, at + rows);
    }
    return ids;
  }
}
