import { malformedMessage, Wire, WireReader } from '../../wire/protobuf.js';

/** Fields of an attribute, of its value, and of the lists in one. */
const keyField = 1;
const valueField = 2;
const Kind = { string: 1, bool: 2, int: 3, double: 4, array: 5, list: 6, bytes: 7 } as const;
const valuesField = 1;
/** Deepest nesting of lists in a value. */
const maxDepth = 32;

/** A value in an attribute; null where none is set. */
type Value = string | boolean | bigint | number | null | Value[] | Map<string, Value>;

/** An attribute: its name, and its value as a text. */
export type Attribute = readonly [name: string, value: string];

/** Reads the attribute that the reader is at, whose length comes next. Throws a FaultError when it is malformed. */
export function readAttribute(reader: WireReader): Attribute {
  const outerEnd = reader.end;
  reader.end = reader.enter();
  let name = '';
  let value: Value = null;
  while (reader.next()) {
    if (reader.is(keyField, Wire.bytes)) name = reader.text();
    else if (reader.is(valueField, Wire.bytes)) value = readValue(reader, 0, value);
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
function textOf(value: Value): string {
  return value === null ? '' : typeof value === 'object' ? jsonOf(value) : String(value);
}

/** JSON with integers of any size; numbers that it has no form for are texts. */
function jsonOf(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, part]) => `${JSON.stringify(name)}:${jsonOf(part)}`).join(',')}}`;
  }
  const isNumber = typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
  return isNumber || value === null || typeof value === 'boolean' ? String(value) : JSON.stringify(String(value));
}

/** Reads a value whose length comes next, and merges it with what was written of it before. */
function readValue(reader: WireReader, depth: number, before: Value = null): Value {
  if (depth > maxDepth) throw malformedMessage(reader.at, 'an attribute is nested too deeply');
  const outerEnd = reader.end;
  reader.end = reader.enter();
  let value = before;
  while (reader.next()) {
    if (reader.is(Kind.string, Wire.bytes)) value = reader.text();
    else if (reader.is(Kind.bool, Wire.varint)) {
      reader.varint();
      value = reader.low !== 0 || reader.high !== 0;
    } else if (reader.is(Kind.int, Wire.varint)) value = reader.int64();
    else if (reader.is(Kind.double, Wire.fixed64)) value = reader.double();
    else if (reader.is(Kind.bytes, Wire.bytes)) value = Buffer.from(reader.content()).toString('base64');
    else if (reader.is(Kind.array, Wire.bytes)) value = readArray(reader, depth, Array.isArray(value) ? value : []);
    else if (reader.is(Kind.list, Wire.bytes))
      value = readList(reader, depth, value instanceof Map ? value : new Map());
    else reader.skip();
  }
  reader.at = reader.end;
  reader.end = outerEnd;
  return value;
}

/** Reads the values of an array behind those that were read of it before. */
function readArray(reader: WireReader, depth: number, values: Value[]): Value[] {
  const outerEnd = reader.end;
  reader.end = reader.enter();
  while (reader.next()) {
    if (reader.is(valuesField, Wire.bytes)) values.push(readValue(reader, depth + 1));
    else reader.skip();
  }
  reader.end = outerEnd;
  return values;
}

/** Reads the values of a list beside those that were read of it before. */
function readList(reader: WireReader, depth: number, values: Map<string, Value>): Map<string, Value> {
  const outerEnd = reader.end;
  reader.end = reader.enter();
  while (reader.next()) {
    if (!reader.is(valuesField, Wire.bytes)) {
      reader.skip();
      continue;
    }
    const listEnd = reader.end;
    reader.end = reader.enter();
    let name = '';
    let value: Value = null;
    while (reader.next()) {
      if (reader.is(keyField, Wire.bytes)) name = reader.text();
      else if (reader.is(valueField, Wire.bytes)) value = readValue(reader, depth + 1, value);
      else reader.skip();
    }
    reader.end = listEnd;
    values.set(name, value);
  }
  reader.end = outerEnd;
  return values;
}
