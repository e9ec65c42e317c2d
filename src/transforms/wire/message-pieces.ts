import { Codes, FaultError, fault } from '../../model/fault.js';
import { Wire, WireReader } from './protobuf.js';

/** Where the rows of a Protocol Buffers message stand. */
export interface MessageShape {
  /** Fields that lead to a row, from the outermost message on; those of the last step are rows. */
  readonly steps: readonly ReadonlySet<number>[];
  /** Fields of the outermost message that belong to no row; all others belong to each row. */
  readonly apart: ReadonlySet<number>;
  /** Fields of a row that a long one is cut at, where it can be cut: all others belong to each of its parts. */
  readonly inner?: ReadonlySet<number>;
}

/** A message with some of the rows of another one, and all that belongs to them. */
export interface MessagePiece {
  readonly bytes: Uint8Array;
  /** Rows that begin in it. */
  readonly rows: number;
  /** 1 where it goes on with the last row of the piece before it. */
  readonly repeatedRows?: number;
  /** It stands for a row that is longer than a row may be. */
  readonly tooLong?: boolean;
}

/** How large pieces and rows are. */
export interface PieceLimits {
  /** Rows of a piece. */
  readonly rows: number;
  /** Bytes of the rows of a piece, and of a row that is not cut. */
  readonly bytes: number;
  /** Longest row that cannot be cut. */
  readonly rowBytes: number;
}

/** Fields of a message within the one that is read that may have any length. */
const anyFields = 65_536;
/** The least that a further field takes: a sample, a label and a symbol take more, and what is empty takes 2. */
const leastFieldBytes = 6;

/**
 * Counts the fields of a message above its rows. Millions of empty ones would take memory and time, and say nothing.
 */
class FieldCount {
  readonly #most: number;
  #all = 0;

  constructor(message: Uint8Array) {
    this.#most = Math.max(anyFields, message.length / leastFieldBytes);
  }

  /** Counts a field that ends at `at`, as number `own` of a message that begins at `begin`. */
  add(own: number, begin: number, at: number): void {
    this.#all++;
    if (this.#all <= this.#most && (own <= anyFields || own * leastFieldBytes <= at - begin)) return;
    const text = `the message has more than ${anyFields} fields, most of them empty, at byte ${at}`;
    throw new FaultError(fault('parameter', Codes.statementTooLong, text));
  }
}

/**
 * Number of rows of a message, and of the parts that long ones are cut at. Throws a FaultError of kind `parameter`
 * where it is malformed above them, or has millions of empty fields there.
 */
export function countRows(message: Uint8Array, { steps, inner }: MessageShape): number {
  const reader = new WireReader(message);
  const fields = new FieldCount(message);
  const ways = inner === undefined ? steps : [...steps, inner];
  const count = (level: number): number => {
    const { at: begin, end } = reader;
    let rows = 0;
    for (let own = 1; reader.next(); own++) {
      fields.add(own, begin, reader.at);
      const leads = isStep(reader, ways[level]);
      if (leads && level >= steps.length - 1) rows++;
      if (!leads || level === ways.length - 1) reader.skip();
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
 * Cuts a message into messages of about as many rows or bytes as `limits` say, in their order, which together say what
 * it says. What belongs to several rows is in each message with some of them, which holds more rows where that would be
 * most of it. A row that is too long is a piece that says so. Throws a FaultError of kind `parameter` where the message
 * is malformed above a row, or has millions of empty fields there.
 */
export function* cutMessage(message: Uint8Array, shape: MessageShape, limits: PieceLimits): Generator<MessagePiece> {
  yield* new MessageCutter(message, shape, limits).cut();
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
  readonly #limits: PieceLimits;
  readonly #fields: FieldCount;
  readonly #levels: Level[] = [];
  #rows = 0;
  /** Rows of the current piece, and the parts of rows. */
  #parts = 0;
  #rowBytes = 0;
  /** The current piece goes on with a row of the one before it. */
  #continuesRow = false;

  constructor(message: Uint8Array, shape: MessageShape, limits: PieceLimits) {
    this.#reader = new WireReader(message);
    this.#shape = shape;
    this.#limits = limits;
    this.#fields = new FieldCount(message);
  }

  *cut(): Generator<MessagePiece> {
    yield* this.#walk(0, this.#shape.steps[0]);
    if (this.#levels[0]!.content.length > 0) yield this.#piece();
  }

  /** Reads the message that the reader stands in, up to its end. */
  *#walk(field: number, step: ReadonlySet<number> | undefined): Generator<MessagePiece> {
    const reader = this.#reader;
    const { steps, apart } = this.#shape;
    const level = this.#open(field, step);
    const depth = this.#levels.length;
    const { end } = reader;
    for (let start = reader.at; reader.next(); start = reader.at) {
      const isApart = depth === 1 && apart.has(reader.field);
      if (!isApart && !isStep(reader, step)) reader.skip();
      else if (isApart || depth > steps.length) {
        reader.skip();
        yield* this.#take(level, start, 0);
      } else if (depth === steps.length) yield* this.#row(level, start);
      else {
        const entered = reader.field;
        reader.end = reader.enter();
        yield* this.#walk(entered, steps[depth]);
        reader.end = end;
        this.#close();
        if (this.#isFull()) yield this.#piece();
      }
    }
  }

  /** Takes the row that the reader has read the key of, which begins at `start`; a long one is cut where it can be. */
  *#row(level: Level, start: number): Generator<MessagePiece> {
    const reader = this.#reader;
    const { inner } = this.#shape;
    const { field, end: outerEnd } = reader;
    const end = reader.enter();
    if (inner === undefined || end - reader.at <= this.#limits.bytes) {
      reader.at = end;
      yield* this.#take(level, start, 1);
      return;
    }
    this.#rows++;
    reader.end = end;
    yield* this.#walk(field, inner);
    reader.end = outerEnd;
    this.#close();
    if (this.#isFull()) yield this.#piece();
  }

  /** Takes the field that begins at `start` and that the reader has passed: `rows` rows, or a part of one. */
  *#take(level: Level, start: number, rows: 0 | 1): Generator<MessagePiece> {
    const bytes = this.#reader.bytes.subarray(start, this.#reader.at);
    const isPart = this.#levels.length > this.#shape.steps.length;
    if (bytes.length > this.#limits.rowBytes) {
      if (this.#parts > 0 || this.#rows > 0) yield this.#piece();
      yield { bytes: new Uint8Array(0), rows, ...(isPart && { repeatedRows: 1 }), tooLong: true };
      return;
    }
    this.#rows += rows;
    if (isPart && level.isContinued) this.#continuesRow = true;
    level.content.push(bytes);
    this.#parts++;
    this.#rowBytes += bytes.length;
    if (this.#isFull()) yield this.#piece();
  }

  /** Begins a message, of which everything is read that is no way to a row. */
  #open(field: number, step: ReadonlySet<number> | undefined): Level {
    const reader = this.#reader;
    const { at: begin } = reader;
    const isOutermost = this.#levels.length === 0;
    const shared: Uint8Array[] = [];
    let sharedBytes = 0;
    let from = begin;
    const take = (to: number): void => {
      if (to === from) return;
      shared.push(reader.bytes.subarray(from, to));
      sharedBytes += to - from;
    };
    let own = 0;
    for (let start = begin; reader.next(); start = reader.at) {
      this.#fields.add(++own, begin, reader.at);
      const isOwn = isStep(reader, step) || (isOutermost && this.#shape.apart.has(reader.field));
      reader.skip();
      if (!isOwn) continue;
      take(start);
      from = reader.at;
    }
    take(reader.at);
    reader.at = begin;
    const level: Level = { field, shared, sharedBytes, content: [], isContinued: false };
    this.#levels.push(level);
    return level;
  }

  #isFull(): boolean {
    if (this.#parts < this.#limits.rows && this.#rowBytes < this.#limits.bytes) return false;
    let shared = 0;
    for (const { sharedBytes } of this.#levels) shared += sharedBytes;
    return this.#rowBytes >= shared;
  }

  /** Ends the innermost message; one without rows says what it says, too. */
  #close(): void {
    const level = this.#levels.pop()!;
    if (level.content.length === 0 && level.isContinued) return;
    if (level.content.length === 0) this.#rowBytes += level.sharedBytes;
    addWritten(level, this.#levels.at(-1)!.content);
    this.#parts++;
  }

  /** The message of what was read since the last piece. */
  #piece(): MessagePiece {
    const levels = this.#levels;
    for (let at = levels.length - 1; at > 0; at--) {
      const level = levels[at]!;
      if (level.content.length > 0 || !level.isContinued) addWritten(level, levels[at - 1]!.content);
      level.content = [];
      level.isContinued = true;
    }
    const whole = levels[0]!;
    const bytes = Buffer.concat([...whole.shared, ...whole.content]);
    const piece = { bytes, rows: this.#rows, ...(this.#continuesRow && { repeatedRows: 1 }) };
    whole.content = [];
    this.#rows = 0;
    this.#parts = 0;
    this.#rowBytes = 0;
    this.#continuesRow = false;
    return piece;
  }
}

/** True when the current field leads to rows. */
function isStep({ field, wire }: WireReader, step: ReadonlySet<number> | undefined): boolean {
  return wire === Wire.bytes && step !== undefined && step.has(field);
}

/** Adds a message to the one around it. */
function addWritten({ field, shared, content }: Level, around: Uint8Array[]): void {
  let length = 0;
  for (const bytes of shared) length += bytes.length;
  for (const bytes of content) length += bytes.length;
  around.push(Buffer.from([...varint(field * 8 + Wire.bytes), ...varint(length)]));
  for (const bytes of shared) around.push(bytes);
  for (const bytes of content) around.push(bytes);
}

function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return bytes;
}
