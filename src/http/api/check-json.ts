import type { Schema } from './description.js';

/** As much of a wrong value as a message repeats. */
const shownCharacters = 64;

/**
 * What is wrong with a JSON value by its schema: the first mistake, with its place, such as `content.panels[2].width
 * must be a whole number from 1 to 12, not 40`. Undefined if it is right. Knows the keywords that bodies of requests
 * use, and no references. Lengths are UTF-16 units.
 */
export function checkJson(value: unknown, schema: Schema, place: string): string | undefined {
  switch (schema.type) {
    case 'object':
      return checkObject(value, schema, place);
    case 'array':
      return checkArray(value, schema, place);
    case 'string':
      return checkText(value, schema, place);
    case 'integer':
      return checkInteger(value, schema, place);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : mustBe(place, 'true or false', value);
    default:
      throw new Error(`The schema of ${place} has a type that is not checked.`);
  }
}

function checkObject(value: unknown, schema: Schema, place: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return mustBe(place, 'an object', value);
  const { properties = {}, required = [] } = schema;
  const entries = new Map<string, unknown>(Object.entries(value));
  const missing = required.find((name) => !entries.has(name));
  if (missing !== undefined) return `${place} must have the key ${missing}`;
  for (const [name, each] of entries) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) {
      const allowed = Object.keys(properties).join(', ');
      return `${place} has the key ${shown(name)}; allowed are ${allowed}`;
    }
    const wrong = checkJson(each, property, `${place}.${name}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function checkArray(value: unknown, { items, maxItems = 0 }: Schema, place: string): string | undefined {
  if (!Array.isArray(value) || value.length > maxItems) {
    return mustBe(place, `a list of at most ${maxItems}`, Array.isArray(value) ? value.length : value);
  }
  for (const [at, item] of value.entries()) {
    const wrong = items === undefined ? undefined : checkJson(item, items, `${place}[${at}]`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function checkText(value: unknown, schema: Schema, place: string): string | undefined {
  const { enum: words, minLength = 0, maxLength = 0 } = schema;
  if (words !== undefined) {
    return words.some((word) => word === value) ? undefined : mustBe(place, `one of ${words.join(', ')}`, value);
  }
  if (typeof value === 'string' && value.length >= minLength && value.length <= maxLength) return undefined;
  return mustBe(place, `a text of ${minLength} to ${maxLength} characters`, value);
}

function checkInteger(value: unknown, schema: Schema, place: string): string | undefined {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum) return undefined;
  return mustBe(place, `a whole number from ${minimum} to ${maximum}`, value);
}

function mustBe(place: string, allowed: string, value: unknown): string {
  return `${place} must be ${allowed}, not ${shown(value)}`;
}

/** A value in a message; of lists and objects the beginning would say little. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value === 'string' && value.length > shownCharacters) {
    return `a text of ${value.length} characters, ${JSON.stringify(`${value.slice(0, shownCharacters)}…`)}`;
  }
  return String(JSON.stringify(value));
}
