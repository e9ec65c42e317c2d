import { openBrace } from '../../../bytes/ascii.js';
import { countByte } from '../../../bytes/count-byte.js';
import { countJsonMarks } from '../../../bytes/json-marks.js';
import { Codes, FaultError, fault, reasonOf } from '../../../model/fault.js';
import type { ParsedPoints, ParseOptions } from '../../points/parse-options.js';
import { MessageWriter } from '../../wire/message-writer.js';
import { parseOtlp } from './otlp.js';

const [int64, uint64] = [
  [-(2n ** 63n), 2n ** 63n - 1n],
  [0n, 2n ** 64n - 1n],
] as const;
/** The least and the greatest value of integers by their type. */
const integers = {
  fixed64: uint64,
  sfixed64: int64,
  int64,
  uint64,
  uint32: [0n, 2n ** 32n - 1n],
  sint32: [-(2n ** 31n), 2n ** 31n - 1n],
} as const;

/** A field of a message: its number, and how its JSON is written. */
interface Field {
  readonly number: number;
  readonly type: 'text' | 'bool' | 'double' | 'bytes' | 'hex' | 'message' | keyof typeof integers;
  readonly isList?: boolean;
  /** True on the way from the request to its data points: what is in it is written in turns. */
  readonly leads?: boolean;
  readonly message?: () => Message;
  /** Names of the values of an enumeration, in the order of their numbers. */
  readonly words?: readonly string[];
}

type Message = Readonly<Record<string, Field>>;

const text = (number: number): Field => ({ number, type: 'text' });
const one = (number: number, message: () => Message): Field => ({ number, type: 'message', message });
const many = (number: number, message: () => Message): Field => ({ number, type: 'message', message, isList: true });
const leading = (field: Field): Field => ({ ...field, leads: true });
const fixed64 = (number: number): Field => ({ number, type: 'fixed64' });
const sfixed64 = (number: number): Field => ({ number, type: 'sfixed64' });
const double = (number: number): Field => ({ number, type: 'double' });
const uint32 = (number: number): Field => ({ number, type: 'uint32' });
const sint32 = (number: number): Field => ({ number, type: 'sint32' });

const temporality: Field = {
  number: 2,
  type: 'uint32',
  words: ['AGGREGATION_TEMPORALITY_UNSPECIFIED', 'AGGREGATION_TEMPORALITY_DELTA', 'AGGREGATION_TEMPORALITY_CUMULATIVE'],
};

const anyValue: Message = {
  stringValue: text(1),
  boolValue: { number: 2, type: 'bool' },
  intValue: { number: 3, type: 'int64' },
  doubleValue: double(4),
  arrayValue: one(5, () => arrayValue),
  kvlistValue: one(6, () => listValue),
  bytesValue: { number: 7, type: 'bytes' },
};
const keyValue: Message = { key: text(1), value: one(2, () => anyValue) };
const arrayValue: Message = { values: many(1, () => anyValue) };
const listValue: Message = { values: many(1, () => keyValue) };
const attributes = (number: number): Field => many(number, () => keyValue);
const buckets: Message = { offset: sint32(1), bucketCounts: { number: 2, type: 'uint64', isList: true } };
const quantile: Message = { quantile: double(1), value: double(2) };
const exemplar: Message = {
  timeUnixNano: fixed64(2),
  asDouble: double(3),
  spanId: { number: 4, type: 'hex' },
  traceId: { number: 5, type: 'hex' },
  asInt: sfixed64(6),
  filteredAttributes: attributes(7),
};
const exemplars = (number: number): Field => many(number, () => exemplar);
const numberPoint: Message = {
  attributes: attributes(7),
  timeUnixNano: fixed64(3),
  asDouble: double(4),
  exemplars: exemplars(5),
  asInt: sfixed64(6),
  flags: uint32(8),
};
const histogramPoint: Message = {
  attributes: attributes(9),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: double(5),
  bucketCounts: { number: 6, type: 'fixed64', isList: true },
  explicitBounds: { number: 7, type: 'double', isList: true },
  exemplars: exemplars(8),
  flags: uint32(10),
  min: double(11),
  max: double(12),
};
const exponentialPoint: Message = {
  attributes: attributes(1),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: double(5),
  scale: sint32(6),
  zeroCount: fixed64(7),
  positive: one(8, () => buckets),
  negative: one(9, () => buckets),
  flags: uint32(10),
  exemplars: exemplars(11),
  min: double(12),
  max: double(13),
  zeroThreshold: double(14),
};
const summaryPoint: Message = {
  attributes: attributes(7),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: double(5),
  quantileValues: many(6, () => quantile),
  flags: uint32(8),
};
/** Points of a metric, and what is said about them. */
function data(number: number, point: () => Message, more: Message): Field {
  return leading(one(number, () => ({ dataPoints: leading(many(1, point)), ...more })));
}

const metric: Message = {
  name: text(1),
  description: text(2),
  unit: text(3),
  gauge: data(5, () => numberPoint, {}),
  sum: data(7, () => numberPoint, { aggregationTemporality: temporality, isMonotonic: { number: 3, type: 'bool' } }),
  histogram: data(9, () => histogramPoint, { aggregationTemporality: temporality }),
  exponentialHistogram: data(10, () => exponentialPoint, { aggregationTemporality: temporality }),
  summary: data(11, () => summaryPoint, {}),
};
const request: Message = {
  resourceMetrics: leading(
    many(1, () => ({
      resource: one(1, () => ({ attributes: attributes(1) })),
      scopeMetrics: leading(
        many(2, () => ({
          scope: one(1, () => ({ name: text(1), version: text(2), attributes: attributes(3) })),
          metrics: leading(many(2, () => metric)),
        })),
      ),
    })),
  ),
};

/** Deepest nesting of messages. */
const maxDepth = 100;
/** Ids of traces and spans are hexadecimal in OTLP's JSON, unlike other bytes. */
const hexText = /^(?:[0-9a-f]{2})*$/i;

/** The field of a key in camel case, or in snake case as the definition of the message has it; undefined for an unknown one. */
function fieldOf(message: Message, key: string): Field | undefined {
  if (Object.hasOwn(message, key)) return message[key];
  const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return name !== key && Object.hasOwn(message, name) ? message[name] : undefined;
}

class JsonMessage {
  readonly #writer: MessageWriter;
  /** Keys and indices down to the value being written. */
  readonly #path: (string | number)[] = [];

  constructor(bytes: number) {
    this.#writer = new MessageWriter(bytes);
  }

  *write(value: unknown): Generator<undefined, Uint8Array> {
    yield* this.#leading(value, request);
    return this.#writer.finish();
  }

  /** Writes fields as {@link #fields} does, with pauses. */
  *#leading(value: unknown, message: Message): Generator<undefined> {
    yield;
    for (const [name, member] of this.#entries(value)) {
      const field = fieldOf(message, name);
      if (field === undefined || member === null) continue;
      this.#path.push(name);
      if (field.leads !== true) this.#field(member, field);
      else if (field.isList !== true) yield* this.#leadingValue(member, field);
      else {
        for (const [index, item] of this.#items(member)) {
          this.#path.push(index);
          yield* this.#leadingValue(item, field);
          this.#path.pop();
        }
      }
      this.#path.pop();
    }
  }

  *#leadingValue(value: unknown, { number, message }: Field): Generator<undefined> {
    const start = this.#writer.begin(number);
    yield* this.#leading(value, message!());
    this.#writer.end(start);
  }

  #fields(value: unknown, message: Message): void {
    for (const [name, member] of this.#entries(value)) {
      const field = fieldOf(message, name);
      if (field === undefined || member === null) continue;
      this.#path.push(name);
      this.#field(member, field);
      this.#path.pop();
    }
  }

  #field(value: unknown, field: Field): void {
    if (field.isList !== true) {
      this.#value(value, field);
      return;
    }
    for (const [index, item] of this.#items(value)) {
      this.#path.push(index);
      this.#value(item, field);
      this.#path.pop();
    }
  }

  #entries(value: unknown): [string, unknown][] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#wrong('an object');
    if (this.#path.length > maxDepth) throw this.#wrong('nested less deeply');
    return Object.entries(value);
  }

  #items(value: unknown): IterableIterator<[number, unknown]> {
    if (!Array.isArray(value)) throw this.#wrong('an array');
    return value.entries();
  }

  #value(content: unknown, field: Field): void {
    const writer = this.#writer;
    const { number } = field;
    switch (field.type) {
      case 'message': {
        const start = writer.begin(number);
        this.#fields(content, field.message!());
        writer.end(start);
        return;
      }
      case 'text':
        if (typeof content !== 'string') throw this.#wrong('a string');
        writer.bytes(number, Buffer.from(content));
        return;
      case 'bytes':
        if (typeof content !== 'string') throw this.#wrong('a string in Base64');
        writer.bytes(number, Buffer.from(content, 'base64'));
        return;
      case 'hex':
        if (typeof content !== 'string' || !hexText.test(content)) throw this.#wrong('a string of hexadecimal digits');
        writer.bytes(number, Buffer.from(content, 'hex'));
        return;
      case 'bool':
        if (typeof content !== 'boolean') throw this.#wrong('true or false');
        writer.varint(number, content ? 1n : 0n);
        return;
      case 'double':
        writer.double(number, this.#double(content));
        return;
      case 'fixed64':
      case 'sfixed64':
        writer.fixed64(number, this.#integer(content, field, field.type));
        return;
      case 'sint32': {
        const value = Number(this.#integer(content, field, field.type));
        writer.varint(number, BigInt(((value << 1) ^ (value >> 31)) >>> 0));
        return;
      }
      default:
        writer.varint(number, this.#integer(content, field, field.type));
    }
  }

  #double(value: unknown): number {
    if (typeof value === 'number') return value;
    const words: readonly unknown[] = ['NaN', 'Infinity', '-Infinity'];
    const isNumber = typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value));
    if (!words.includes(value) && !isNumber) throw this.#wrong('a number');
    return Number(value);
  }

  /** Integers may be texts, because a JSON number cannot hold all of them. */
  #integer(content: unknown, { words }: Field, type: keyof typeof integers): bigint {
    const word = typeof content === 'string' ? (words?.indexOf(content) ?? -1) : -1;
    if (word >= 0) return BigInt(word);
    const isInteger = typeof content === 'string' ? /^-?[0-9]{1,20}$/.test(content) : Number.isInteger(content);
    if (!isInteger) throw this.#wrong('an integer');
    const value = BigInt(String(typeof content === 'number' ? BigInt(content) : content));
    const [least, greatest] = integers[type];
    if (value < least || value > greatest) throw this.#wrong(`an integer from ${least} to ${greatest}`);
    return value;
  }

  #wrong(what: string): FaultError {
    const place = this.#path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    return new FaultError(fault('parameter', Codes.schemalessData, `${place.slice(1) || 'the body'} must be ${what}`));
  }
}

/** Senders put some thousands of points into a request; reading holds up everybody else, so it must not take long. */
const maxObjects = 250_000;
/** Values of all kinds, and escapes in texts. */
const maxValues = 1_000_000;

/** Reads an `ExportMetricsServiceRequest` in JSON, which is written as protobuf for {@link parseOtlp}. Throws as {@link otlpOfJson} does. */
export function parseOtlpJson(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  const writing = otlpOfJson(readOtlpJson(bytes), bytes.length);
  let step = writing.next();
  while (step.done !== true) step = writing.next();
  return parseOtlp(step.value, options);
}

/** The value of a request in JSON. Throws a FaultError of kind `parameter` when it is none, or has more than a message may. */
export function readOtlpJson(bytes: Uint8Array): unknown {
  const isLong = countByte(bytes, openBrace) > maxObjects;
  if (isLong || countJsonMarks(bytes) > maxValues) {
    const what = isLong ? `${maxObjects} objects` : `${maxValues} values or escapes`;
    const message = `the body holds more than ${what}; send fewer points in one request, or protobuf`;
    throw new FaultError(fault('parameter', Codes.schemalessData, message));
  }
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch (error) {
    const message = `the body is not JSON: ${reasonOf(error)}`;
    throw new FaultError(fault('parameter', Codes.schemalessData, message));
  }
}

/**
 * An `ExportMetricsServiceRequest` of JSON as protobuf; `length` is about how long it will be. Keys are in camel or snake case, integers may be
 * texts, values of enumerations are numbers or names; unknown keys mean nothing. Throws a FaultError of kind `parameter` that names
 * the place where it is not such a request. It pauses often, so that others can have their turn.
 */
export function otlpOfJson(value: unknown, length: number): Generator<undefined, Uint8Array> {
  return new JsonMessage(length).write(value);
}
