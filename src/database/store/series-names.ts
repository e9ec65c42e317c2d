import type { TableDef } from '../../model/schema.js';
import { allOf } from '../../sql/engine/build.js';
import { printExpr } from '../../sql/engine/print.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import { BatchedCalls } from '../engine/batched-calls.js';
import type { Engine } from '../engine/engine.js';

/** Name of a series, and its tags as texts; tags that are NULL are left out. */
interface SeriesName {
  readonly name: string;
  readonly tags: ReadonlyMap<string, string>;
}

interface Wanted {
  readonly database: string;
  readonly table: string;
  readonly series: bigint;
}

/** Names and tags of series by their ids, from where the tags are stored; concurrent calls share statements. */
export class SeriesNames {
  readonly #engine: Engine;
  readonly #catalogue: Catalogue;
  readonly #lookUps = new BatchedCalls((series: readonly Wanted[]) => this.#readTogether(series));

  constructor(engine: Engine, catalogue: Catalogue) {
    this.#engine = engine;
    this.#catalogue = catalogue;
  }

  /** Undefined when there is no such series any more. Rejects with a FaultError when the engine is away. */
  find(database: string, table: string, series: bigint): Promise<SeriesName | undefined> {
    return this.#lookUps.call({ database, table, series });
  }

  async #readTogether(lookUps: readonly Wanted[]): Promise<readonly (SeriesName | undefined)[]> {
    const byTable = new Map<TableDef, bigint[]>();
    for (const { database, table, series } of lookUps) {
      const def = this.#catalogue.table(database, table);
      if (def === undefined) continue;
      const ids = byTable.get(def) ?? [];
      byTable.set(def, ids);
      ids.push(series);
    }
    const names = new Map<TableDef, ReadonlyMap<bigint, SeriesName>>();
    for (const [table, ids] of byTable) names.set(table, await this.#read(table, ids));
    return lookUps.map(({ database, table, series }) => {
      const def = this.#catalogue.table(database, table);
      return def && names.get(def)?.get(series);
    });
  }

  async #read(table: TableDef, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, SeriesName>> {
    const { tagStorage, tags, seriesId, name } = table;
    if (tagStorage === undefined) {
      return new Map(seriesId === undefined ? [] : [[seriesId, { name, tags: new Map() }]]);
    }
    const columns = ['toString(id)', 'name', ...tags.map(({ physical }) => `toString(\`${physical}\`)`)];
    const where = printExpr(allOf([...ofTable(table), ofSeries([...new Set(ids)]), expr`dropped = 0`]));
    const rows = await this.#engine.rows(`SELECT ${columns.join(', ')} FROM ${tagStorage} FINAL WHERE ${where}`);
    return new Map(
      rows.map(([id, series, ...values]) => {
        const pairs = tags.flatMap(({ name: tag, type }, i) => tagTexts(tag, type.name, values[i]));
        return [BigInt(String(id)), { name: String(series), tags: new Map(pairs) }];
      }),
    );
  }
}

/** A tag as name and text; the members of a JSON tag count as tags. */
function tagTexts(tag: string, type: string, value: unknown): (readonly [string, string])[] {
  if (value === null || value === undefined) return [];
  if (type !== 'JSON') return [[tag, String(value)]];
  const members: unknown = JSON.parse(String(value));
  if (typeof members !== 'object' || members === null) return [];
  return Object.entries(members).map(([name, member]) => [
    name,
    typeof member === 'string' ? member : JSON.stringify(member),
  ]);
}
