import { type JsonNode, readJsonText } from './json-tree.js';

/** A value of JSON in which no integer is rounded: those that a JavaScript number cannot hold exactly are BigInts. */
export type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson | undefined };

/** So many digits in a row may be an integer that a JavaScript number rounds. */
const longDigits = /\d{16}/;
/**
 * Reads JSON with exact integers; undefined for a text that is not JSON, or that has such integers and is nested more
 * than 64 levels deep.
 */
export function parseExactJson(text: string): ExactJson | undefined {
  try {
    const rounded: ExactJson = JSON.parse(text);
    if (!longDigits.test(text)) return rounded;
  } catch {
    return undefined;
  }
  const read = readJsonText(text);
  return read.ok ? exactValue(read.node) : undefined;
}

function exactValue(node: JsonNode): ExactJson {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map(({ key, value }) => [key, exactValue(value)]));
    case 'array':
      return node.items.map(exactValue);
    case 'string':
      return node.text;
    case 'number':
      return numberOf(node.text);
    case 'boolean':
      return node.value;
    case 'null':
      return null;
  }
}

/** An integer beyond those that a JavaScript number holds exactly is a BigInt. */
function numberOf(digits: string): number | bigint {
  const rounded = Number(digits);
  return /[.eE]/.test(digits) || Number.isSafeInteger(rounded) ? rounded : BigInt(digits);
}

/** The text of a value. Members that are undefined are left out. */
export function exactJsonText(value: ExactJson | undefined): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(exactJsonText).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactJsonText(member)}`).join(',')}}`;
}
