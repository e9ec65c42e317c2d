import { call, text } from './build.js';
import type { Expr } from './nodes.js';
import { expr } from './template.js';

/**
 * A number that is not NULL as text with so many digits of its fraction, or all of them where those would be another
 * number.
 */
export function fractionText(value: Expr, digits: number, type: 'Float32' | 'Float64' = 'Float64'): Expr {
  const printed = expr`printf(${text(`%.${digits}f`)}, x)`;
  const isSame = expr`${call(`to${type}`, printed)} = x`;
  return expr`arrayElement(arrayMap(x -> if(${isSame}, ${printed}, toString(x)), [${value}]), 1)`;
}
