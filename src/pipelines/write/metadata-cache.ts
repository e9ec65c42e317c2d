import type { BlockGroup } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Sink } from '../../model/component.js';
import { watched } from '../../sinks/layers.js';
import { metadataTable } from '../../transforms/points/label-set.js';
import type { MetricDescription, ParsedPoints } from '../../transforms/points/parse-options.js';

/** Metrics whose metadata is remembered; beyond them it is written once more. */
const maxMetrics = 100_000;

/** The metadata of a block, and where it belongs. */
interface DescribedBlock {
  readonly place: string;
  readonly metrics: readonly MetricDescription[];
}

/**
 * Caches which metadata of metrics is stored. Senders repeat it with every request; parsers leave out what is stored
 * already, because it would cost an insert of its own each time. A place is a database while nothing is dropped in it.
 */
export class MetadataCache {
  /** By place and metric, what was stored last. */
  readonly #stored = new Map<string, string>();
  readonly #blocks = new WeakMap<ColumnBlock, DescribedBlock>();

  /** For parsers: true where the database has this metadata of a metric. */
  reader(place: string): (metric: string, said: string) => boolean {
    return (metric, said) => this.#stored.get(place + metric) === said;
  }

  /** Remembers the metadata in the points of a payload until it is stored and enters the cache; gives the points. */
  expect(place: string, points: ParsedPoints): ParsedPoints {
    const { blocks, described: metrics } = points;
    if (metrics.length === 0) return points;
    const [block, ...others] = blocks.filter(({ table }) => table === metadataTable);
    if (block !== undefined && others.length === 0) this.#blocks.set(block, { place, metrics });
    return points;
  }

  /** The sink, which is watched. */
  caching(sink: Sink<BlockGroup>): Sink<BlockGroup> {
    return watched(sink, ({ blocks }) => {
      for (const block of blocks) {
        const described = this.#blocks.get(block);
        if (described !== undefined) this.#note(described);
      }
    });
  }

  #note({ place, metrics }: DescribedBlock): void {
    if (this.#stored.size + metrics.length > maxMetrics) this.#stored.clear();
    for (const [metric, said] of metrics) this.#stored.set(place + metric, said);
  }
}
