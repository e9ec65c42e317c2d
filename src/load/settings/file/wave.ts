import type { Wave } from '../../model/scenario.js';

const maxLength = 100;
const real = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const pattern = new RegExp(
  String.raw`^(?:(${real})\*)?(sin|cos)\(x\)(?:([+-])(${real.replace('[+-]?', '')})(?:\*random\((\d*)\))?)?$`,
);

/**
 * Reads the value of `fun`: `<a>*sin(x)+<b>*random(<n>)`, or with cos, or with minus; `b` may stand without `random`, or be
 * missing. Blanks count for nothing. Undefined when it is something else.
 */
export function readWave(text: string): Wave | undefined {
  const plain = text.replace(/\s+/g, '');
  const match = plain.length <= maxLength ? pattern.exec(plain) : null;
  if (match === null) return undefined;
  const [, amplitude = '1', shape, sign = '+', offset = '0', fluctuation = ''] = match;
  return {
    shape: shape === 'cos' ? 'cos' : 'sin',
    amplitude: Number(amplitude),
    offset: sign === '-' && Number(offset) !== 0 ? -Number(offset) : Number(offset),
    fluctuation: Number(fluctuation),
  };
}
