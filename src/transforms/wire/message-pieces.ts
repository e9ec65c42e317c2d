import { Wire, WireReader } from './protobuf.js';

/** Where the rows of a Protocol Buffers message stand. */
export interface MessageShape {
  /** Fields that lead to a row, from the outermost message on; those of the last step are rows. */
  readonly steps: readonly ReadonlySet<number>[];
  /** Fields of the outermost message that go with its first rows alone; all others belong to each row. */
  readonly once: ReadonlySet<number>;
}

/** A message with some of the rows of another one, and all that belongs to them. */
export interface MessagePiece {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** Number of rows of a message. Throws a FaultError of kind `parameter` where it is malformed on the way to them. */
export function countRows(message: Uint8Array, { steps }: MessageShape): number {
  const reader = new WireReader(message);
  const count = (level: number): number => {
    const { end } = reader;
    let rows = 0;
    while (reader.next()) {
      const leads = isStep(reader, steps[level]);
      if (leads && level === steps.length - 1) rows++;
      if (!leads || level === steps.length - 1) reader.skip();
      else {
        reader.end = reader.enter();
        rows += count(level + 1);
        reader.end = end;
      }
    }
    return rows;
  };
  return count(0);
}

/**
 * Cuts a message into messages with about `maxRows` rows each, in their order, which together say what it says. What belongs to
 * several rows is in each message with some of them, which holds more rows where that would be most of it. Throws a FaultError of
 * kind `parameter` where the message is malformed on the way to a row.
 */
export function* cutMessage(message: Uint8Array, shape: MessageShape, maxRows: number): Generator<MessagePiece> {
  yield* new MessageCutter(message, shape, maxRows).cut();
}

/** A message within the one that is cut, as far as it was read. */
interface Level {
  /** Number of the field that it stands in. */
  readonly field: number;
  /** Parts of the message that belong to each of its rows. */
  readonly shared: readonly Uint8Array[];
  readonly sharedBytes: number;
  /** Fields of the current piece. */
  content: Uint8Array[];
  /** A piece before has a part of it. */
  isContinued: boolean;
}

class MessageCutter {
  readonly #reader: WireReader;
  readonly #shape: MessageShape;
  readonly #maxRows: number;
  readonly #levels: Level[] = [];
  #rows = 0;
  #rowBytes = 0;

  constructor(message: Uint8Array, shape: MessageShape, maxRows: number) {
    this.#reader = new WireReader(message);
    this.#shape = shape;
    this.#maxRows = maxRows;
  }

  *cut(): Generator<MessagePiece> {
    yield* this.#walk(0);
    if (this.#levels[0]!.content.length > 0) yield this.#piece();
  }

  /** Reads the message that the reader stands in, up to its end. */
  *#walk(field: number): Generator<MessagePiece> {
    const reader = this.#reader;
    const { steps } = this.#shape;
    const level = this.#open(field);
    const step = steps[this.#levels.length - 1];
    const { end } = reader;
    for (let start = reader.at; reader.next(); start = reader.at) {
      if (!isStep(reader, step)) reader.skip();
      else if (this.#levels.length === steps.length) {
        reader.skip();
        this.#addRow(level, reader.bytes.subarray(start, reader.at));
        if (this.#isFull()) yield this.#piece();
      } else {
        const inner = reader.field;
        reader.end = reader.enter();
        yield* this.#walk(inner);
        this.#close();
        reader.end = end;
      }
    }
  }

  /** Begins a message, of which everything is read that is no way to a row. */
  #open(field: number): Level {
    const reader = this.#reader;
    const { at: begin } = reader;
    const depth = this.#levels.length;
    const step = this.#shape.steps[depth];
    const shared: Uint8Array[] = [];
    const content: Uint8Array[] = [];
    let sharedBytes = 0;
    for (let start = begin; reader.next(); start = reader.at) {
      const leads = isStep(reader, step);
      const isOnce = depth === 0 && this.#shape.once.has(reader.field);
      reader.skip();
      if (leads) continue;
      const bytes = reader.bytes.subarray(start, reader.at);
      if (isOnce) content.push(bytes);
      else {
        shared.push(bytes);
        sharedBytes += bytes.length;
      }
    }
    reader.at = begin;
    const level: Level = { field, shared, sharedBytes, content, isContinued: false };
    this.#levels.push(level);
    return level;
  }

  #addRow(level: Level, bytes: Uint8Array): void {
    level.content.push(bytes);
    this.#rows++;
    this.#rowBytes += bytes.length;
  }

  #isFull(): boolean {
    if (this.#rows < this.#maxRows) return false;
    let shared = 0;
    for (const { sharedBytes } of this.#levels) shared += sharedBytes;
    return this.#rowBytes >= shared;
  }

  /** Ends the innermost message; one without rows says what it says, too. */
  #close(): void {
    const level = this.#levels.pop()!;
    if (level.content.length > 0 || !level.isContinued) this.#levels.at(-1)!.content.push(...written(level));
  }

  /** The message of what was read since the last piece. */
  #piece(): MessagePiece {
    const levels = this.#levels;
    for (let at = levels.length - 1; at > 0; at--) {
      const level = levels[at]!;
      if (level.content.length > 0 || !level.isContinued) levels[at - 1]!.content.push(...written(level));
      level.content = [];
      level.isContinued = true;
    }
    const whole = levels[0]!;
    const piece = { bytes: Buffer.concat([...whole.shared, ...whole.content]), rows: this.#rows };
    whole.content = [];
    this.#rows = 0;
    this.#rowBytes = 0;
    return piece;
  }
}

/** True when the current field leads to rows. */
function isStep({ field, wire }: WireReader, step: ReadonlySet<number> | undefined): boolean {
  return wire === Wire.bytes && step !== undefined && step.has(field);
}

/** A message as a field of the one around it. */
function written({ field, shared, content }: Level): readonly Uint8Array[] {
  let length = 0;
  for (const bytes of shared) length += bytes.length;
  for (const bytes of content) length += bytes.length;
  const head = Buffer.from([...varint(field * 8 + Wire.bytes), ...varint(length)]);
  return [head, ...shared, ...content];
}

function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return bytes;
}
