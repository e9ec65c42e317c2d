import { positionText } from './language/literals.js';
import type { Span } from './language/tree.js';

/** Facts about samples whose monotonicity was repaired. */
interface Repair {
  minMs: number;
  maxMs: number;
  minBucket: number;
  maxBucket: number;
  maxDifference: number;
  count: number;
}

interface Annotation {
  readonly kind: 'warning' | 'info';
  readonly text: string;
  readonly span: Span;
  readonly repair: Repair | undefined;
}

/** What a query says beside its result: each text once, in the words of Prometheus. */
export class Annotations {
  readonly #all = new Map<string, Annotation>();

  /** Adds a warning: the result is likely not what the sender wants. */
  warn(text: string, span: Span): void {
    this.#add({ kind: 'warning', text: `PromQL warning: ${text}`, span, repair: undefined });
  }

  /** Adds a hint. */
  inform(text: string, span: Span): void {
    this.#add({ kind: 'info', text: `PromQL info: ${text}`, span, repair: undefined });
  }

  /** Adds that counts of buckets fell where they must not; all such of one text become one. */
  informOfRepair(text: string, span: Span, repair: Omit<Repair, 'count' | 'minMs' | 'maxMs'>, ms: number): void {
    const info = `PromQL info: ${text}`;
    const earlier = this.#all.get(info)?.repair;
    if (earlier === undefined) {
      this.#add({ kind: 'info', text: info, span, repair: { ...repair, minMs: ms, maxMs: ms, count: 1 } });
      return;
    }
    earlier.minMs = Math.min(earlier.minMs, ms);
    earlier.maxMs = Math.max(earlier.maxMs, ms);
    earlier.minBucket = Math.min(earlier.minBucket, repair.minBucket);
    earlier.maxBucket = Math.max(earlier.maxBucket, repair.maxBucket);
    earlier.maxDifference = Math.max(earlier.maxDifference, repair.maxDifference);
    earlier.count++;
  }

  #add(annotation: Annotation): void {
    if (!this.#all.has(annotation.text)) this.#all.set(annotation.text, annotation);
  }

  /** All of one kind with their places in the query, `most` at most and then how many more there are. */
  texts(kind: 'warning' | 'info', query: string, most: number): readonly string[] {
    const texts = [...this.#all.values()].filter((each) => each.kind === kind).map((each) => textOf(each, query));
    if (texts.length <= most) return texts;
    return [...texts.slice(0, most), `${texts.length - most} more ${kind} annotations omitted`];
  }
}

function textOf({ text, span, repair }: Annotation, query: string): string {
  const place = `(${positionText(query, span.start)})`;
  if (repair === undefined) return `${text} ${place}`;
  const { minBucket, maxBucket, maxDifference, count, minMs, maxMs } = repair;
  const buckets = `from buckets ${minBucket} to ${maxBucket}, with a max diff of ${Number(maxDifference.toPrecision(2))}`;
  return `${text}, ${buckets}, over ${count} samples from ${secondText(minMs)} to ${secondText(maxMs)} ${place}`;
}

function secondText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
