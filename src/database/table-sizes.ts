import { quoteString } from '../sql/print/quote.js';
import type { Engine } from './engine.js';

/** From so many rows on a table is large: the newest rows of its series are found sooner by looking for them first. */
const largeRows = 200_000;
/** How long an answer counts, and how many are remembered. */
const rememberedMs = 30_000;
const maxRemembered = 10_000;

interface Size {
  readonly isLarge: boolean;
  readonly askedAt: number;
}

/**
 * Which engine tables are large, as far as it matters to plans. It is asked of the engine when somebody wants to know, and
 * nobody waits for it: until then the last answer counts, and at first a table is small.
 */
export class TableSizes {
  readonly #engine: Pick<Engine, 'stores'>;
  readonly #known = new Map<string, Size>();

  constructor(engine: Pick<Engine, 'stores'>) {
    this.#engine = engine;
  }

  /** True when the engine table was large when it was last asked about; `now` in ms. */
  isLarge(storage: string, now = performance.now()): boolean {
    const known = this.#known.get(storage);
    if (known === undefined || now - known.askedAt > rememberedMs) {
      const isLarge = known?.isLarge ?? false;
      if (this.#known.size >= maxRemembered) this.#known.clear();
      this.#known.set(storage, { isLarge, askedAt: now });
      // Without an answer plans stay as they are.
      this.#ask(storage, now).catch(() => undefined);
    }
    return known?.isLarge ?? false;
  }

  async #ask(storage: string, askedAt: number): Promise<void> {
    const [database = '', name = ''] = storage.split('.');
    // Rows are spread evenly, so one place tells of all.
    const [store] = this.#engine.stores();
    if (store === undefined) return;
    const named = `database = ${quoteString(store.prefix + database)} AND name = ${quoteString(name)}`;
    const found = await store.engine.rows(`SELECT 1 FROM system.tables WHERE ${named} AND total_rows >= ${largeRows}`);
    const isLarge = found.length > 0;
    this.#known.set(storage, { isLarge, askedAt });
  }
}
