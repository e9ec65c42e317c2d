import type { Schema } from '../../../src/http/api/description.js';

/** Schemas by their reference. */
export type Schemas = ReadonlyMap<string, Schema>;

/**
 * Where a value is not what a schema says, one line each. Properties that a schema does not name are wrong too, unless it
 * lets them be: a description must tell of everything.
 */
export function mismatches(value: unknown, schema: Schema, schemas: Schemas, at = '$'): readonly string[] {
  const whole = flattened(schema, schemas);
  if (whole.oneOf !== undefined) {
    const each = whole.oneOf.map((one) => mismatches(value, one, schemas, at));
    return each.filter((misfits) => misfits.length === 0).length === 1
      ? []
      : [`${at} is not one of: ${each.join(' | ')}`];
  }
  const misfits: string[] = [];
  const types = whole.type === undefined ? [] : [whole.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(value, type))) misfits.push(`${at} is no ${types.join(' or ')}`);
  if (whole.const !== undefined && value !== whole.const) misfits.push(`${at} is not ${whole.const}`);
  if (whole.enum?.some((word) => word === value) === false) misfits.push(`${at} is none of ${whole.enum}`);
  if (typeof value === 'number' && value < (whole.minimum ?? value)) misfits.push(`${at} is below ${whole.minimum}`);
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = value;
    const { items, prefixItems } = whole;
    for (const [i, element] of elements.entries()) {
      const its = prefixItems?.[i] ?? items;
      if (its !== undefined) misfits.push(...mismatches(element, its, schemas, `${at}[${i}]`));
    }
  } else if (typeof value === 'object' && value !== null && whole.properties !== undefined) {
    misfits.push(...ofObject(value, whole, schemas, at));
  }
  return misfits;
}

function ofObject(value: object, schema: Schema, schemas: Schemas, at: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const misfits = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}.${name} is missing`);
  for (const [name, inner] of Object.entries(value)) {
    const its = properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (its !== undefined) misfits.push(...mismatches(inner, its, schemas, `${at}.${name}`));
    else if (additionalProperties === false) misfits.push(`${at}.${name} is not described`);
  }
  return misfits;
}

/** References followed, and what all must hold joined into one. */
function flattened(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref !== undefined) {
    const named = schemas.get(schema.$ref);
    if (named === undefined) throw new Error(`There is no schema ${schema.$ref}.`);
    return flattened(named, schemas);
  }
  if (schema.allOf === undefined) return schema;
  const parts = schema.allOf.map((part) => flattened(part, schemas));
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
