import { malformedMessage, Wire, WireReader } from './protobuf.js';
import { countCharacters } from './utf8.js';

/** Fields of an attribute, of its value, and of the lists in one. */
const keyField = 1;
const valueField = 2;
const Value = { string: 1, bool: 2, int: 3, double: 4, array: 5, list: 6, bytes: 7 } as const;
const valuesField = 1;
/** Deepest nesting of lists in a value. */
const maxDepth = 32;

/** An attribute: its name, and its value as a text. */
export type Attribute = readonly [name: string, value: string];

/** Reads the attribute that the reader is at, whose length comes next. Throws a FaultError when it is malformed. */
export function readAttribute(reader: WireReader): Attribute {
  const outerEnd = reader.end;
  reader.end = reader.enter();
  let name = '';
  let value: unknown;
  while (reader.next()) {
    if (reader.is(keyField, Wire.bytes)) name = readText(reader);
    else if (reader.is(valueField, Wire.bytes)) value = readValue(reader, 0);
    else reader.skip();
  }
  reader.at = reader.end;
  reader.end = outerEnd;
  return [name, textOf(value)];
}

/** Reads the attributes in `bytes[start, end)`: its fields with the number `field`, or all of them. */
export function readAttributes(bytes: Uint8Array, start: number, end: number, field?: number): Attribute[] {
  const reader = new WireReader(bytes);
  const attributes: Attribute[] = [];
  reader.at = start;
  reader.end = end;
  while (reader.next()) {
    if (field === undefined || reader.field === field) attributes.push(readAttribute(reader));
    else reader.skip();
  }
  return attributes;
}

/** Texts and numbers as they are, lists as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Reads a value whose length comes next. */
function readValue(reader: WireReader, depth: number): unknown {
  if (depth > maxDepth) throw malformedMessage(reader.at, 'an attribute is nested too deeply');
  const outerEnd = reader.end;
  reader.end = reader.enter();
  let value: unknown = null;
  while (reader.next()) {
    if (reader.is(Value.string, Wire.bytes)) value = readText(reader);
    else if (reader.is(Value.bool, Wire.varint)) {
      reader.varint();
      value = reader.low !== 0 || reader.high !== 0;
    } else if (reader.is(Value.int, Wire.varint)) {
      reader.varint();
      value = String((BigInt(reader.high | 0) << 32n) | BigInt(reader.low));
    } else if (reader.is(Value.double, Wire.fixed64)) {
      const { at } = reader;
      reader.skip();
      value = reader.view.getFloat64(at, true);
    } else if (reader.is(Value.bytes, Wire.bytes)) {
      value = Buffer.from(readBytes(reader)).toString('base64');
    } else if (reader.is(Value.array, Wire.bytes)) value = readArray(reader, depth);
    else if (reader.is(Value.list, Wire.bytes)) value = readList(reader, depth);
    else reader.skip();
  }
  reader.at = reader.end;
  reader.end = outerEnd;
  return value;
}

function readArray(reader: WireReader, depth: number): unknown[] {
  const outerEnd = reader.end;
  reader.end = reader.enter();
  const values: unknown[] = [];
  while (reader.next()) {
    if (reader.is(valuesField, Wire.bytes)) values.push(readValue(reader, depth + 1));
    else reader.skip();
  }
  reader.end = outerEnd;
  return values;
}

function readList(reader: WireReader, depth: number): Record<string, unknown> {
  const outerEnd = reader.end;
  reader.end = reader.enter();
  const values: [string, unknown][] = [];
  while (reader.next()) {
    if (!reader.is(valuesField, Wire.bytes)) {
      reader.skip();
      continue;
    }
    const listEnd = reader.end;
    reader.end = reader.enter();
    let name = '';
    let value: unknown = null;
    while (reader.next()) {
      if (reader.is(keyField, Wire.bytes)) name = readText(reader);
      else if (reader.is(valueField, Wire.bytes)) value = readValue(reader, depth + 1);
      else reader.skip();
    }
    reader.end = listEnd;
    values.push([name, value]);
  }
  reader.end = outerEnd;
  return Object.fromEntries(values);
}

function readBytes(reader: WireReader): Uint8Array {
  const end = reader.enter();
  const bytes = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return bytes;
}

/** Reads a text whose length comes next; ill-formed UTF-8 is malformed, as protobuf says. */
export function readText(reader: WireReader): string {
  const start = reader.at;
  const bytes = readBytes(reader);
  if (countCharacters(bytes, 0, bytes.length) < 0) throw malformedMessage(start, 'a text is not well-formed UTF-8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
