import type { Batch, ByteBlock } from '../../model/batch.js';
import { delivered } from '../../model/delivery.js';
import { joinLines, lineFormats, maxJoinedBytes, maxTextBytes } from './joined.js';

/** Texts that are read one by one after some could not be read as one. */
const textsApart = 256;
const quote = 0x22;
const backslash = 0x5c;
const nothing = delivered(0);

/**
 * Short texts that come in one turn of the event loop and go to the same place: reading, logging and storing them as one costs
 * little more than doing so with one of them.
 */
export class Turn {
  readonly #read: (texts: readonly Batch<ByteBlock>[]) => boolean;
  #texts: Batch<ByteBlock>[] = [];
  #bytes = 0;
  #isScheduled = false;
  #apart = 0;

  /** `read` takes the texts of a turn, in their order; false when they could not be read as one. */
  constructor(read: (texts: readonly Batch<ByteBlock>[]) => boolean) {
    this.#read = read;
  }

  /** Takes a text, which is read at the end of the turn at the latest. */
  add(batch: Batch<ByteBlock>): void {
    if (this.#apart > 0 || !mayBeJoined(batch)) {
      this.#apart = Math.max(0, this.#apart - 1);
      this.flush();
      this.#read([batch]);
      return;
    }
    const [first] = this.#texts;
    if (first !== undefined && (this.#bytes + batch.bytes > maxJoinedBytes || !isAlike(first, batch))) this.flush();
    this.#texts.push(batch);
    this.#bytes += batch.bytes;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Reads what has come. */
  flush(): void {
    const texts = this.#texts;
    if (texts.length === 0) return;
    this.#texts = [];
    this.#bytes = 0;
    if (!this.#read(texts)) this.#apart = textsApart;
  }
}

/** A string may hold line breaks, so that one without an end could end in the next text. */
function mayBeJoined({ payload, target, bytes: length }: Batch<ByteBlock>): boolean {
  const { format, bytes, part } = payload;
  if (length > maxTextBytes || !lineFormats.has(format) || target.ack === 'stored' || target.tally !== undefined)
    return false;
  if (target.isWhole === true) return false;
  if (part !== undefined && !(part.first && part.last)) return false;
  return bytes.at(-1) !== backslash && !bytes.includes(quote);
}

function isAlike(
  { origin, payload, target: a }: Batch<ByteBlock>,
  { origin: other, payload: next, target: b }: Batch<ByteBlock>,
) {
  if (origin !== other || payload.format !== next.format || a.database !== b.database || a.user !== b.user)
    return false;
  if (a.precision !== b.precision || a.ttl !== b.ttl || a.createDatabase !== b.createDatabase) return false;
  return a.ack === b.ack && a.reading?.epoch === b.reading?.epoch;
}

/** Texts as one. Its rows are told to the first sender alone: none of those formats is told how many rows are stored. */
export function joined(texts: readonly Batch<ByteBlock>[]): Batch<ByteBlock> {
  const last = texts.at(-1)!;
  const { bytes } = joinLines(texts.map(({ payload }) => payload.bytes));
  let counted = 0;
  for (const { bytes: weight } of texts) counted += weight;
  return {
    origin: last.origin,
    target: last.target,
    payload: { kind: 'bytes', format: last.payload.format, bytes },
    rows: 0,
    bytes: counted,
    settle: (delivery) => {
      let told = delivery;
      for (const text of texts) {
        text.settle(told);
        if (told.outcome === 'delivered') told = nothing;
      }
    },
  };
}
