import type { FieldPlan, ValuePlan } from '../model/scenario.js';
import { columnType, type ListedType, type LoadType } from './types.js';

/** Whether a field is in every row or once with each sub-table. */
export type FieldRole = 'column' | 'tag';

/** Most data columns beside the time, and most tags. */
export const maxFields = { column: 4095, tag: 128 } as const;

/** How values of a type are made up where nothing says otherwise. */
export function usualValues(type: LoadType, length: number, role: FieldRole): ValuePlan {
  if (type.sized === true) return { kind: 'text', length };
  if (type.name === 'JSON') return { kind: 'json', pairs: 1, length };
  if (type.usual === undefined || (type.name === 'TIMESTAMP' && role === 'column')) return { kind: 'now' };
  return { kind: 'range', ...type.usual };
}

/** Fields of the types of a list: `c0`, `c1`, … or `t0`, `t1`, …. */
export function listedFields(types: readonly ListedType[], role: FieldRole): readonly FieldPlan[] {
  const letter = role === 'column' ? 'c' : 't';
  return types.map(({ type, length }, at) => ({
    name: `${letter}${at}`,
    type: columnType(type, length),
    values: usualValues(type, length, role),
    sma: false,
  }));
}
