import { Slice } from '../../async/slice.js';

/** Characters of a piece of an answer. */
const pieceCharacters = 64 * 1024;

/** Texts as pieces of bytes that are about as long as each other. Yields to the event loop between slices. */
export async function* pieces(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  const slice = new Slice();
  let text = '';
  for (const each of texts) {
    text += each;
    if (text.length < pieceCharacters) continue;
    yield Buffer.from(text);
    text = '';
    if (slice.isOver()) await slice.next();
  }
  if (text !== '') yield Buffer.from(text);
}

/** The elements of a JSON array, with what stands before, between and behind them. */
export function* jsonArray(elements: Iterable<string>): Generator<string> {
  let before = '[';
  for (const element of elements) {
    yield before;
    yield element;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** A number as a JSON string, as Prometheus prints it: shortest digits, an exponent below 1e-6 and from 1e21 on. */
export function numberText(value: number): string {
  if (Number.isFinite(value)) {
    if (value === 0) return Object.is(value, -0) ? '-0' : '0';
    const text = String(value);
    const at = text.indexOf('e');
    // An exponent has two digits at least.
    return at >= 0 && text.length - at === 3 ? `${text.slice(0, at + 2)}0${text.slice(at + 2)}` : text;
  }
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** Unix milliseconds in seconds, with three decimal places or none. */
export function timeText(ms: number): string {
  const whole = Math.trunc(ms / 1000);
  const rest = Math.abs(ms % 1000);
  const sign = ms < 0 && whole === 0 ? '-' : '';
  return rest === 0 ? String(whole) : `${sign}${whole}.${String(rest).padStart(3, '0')}`;
}

/** Labels as a JSON object. */
export function labelsText(labels: readonly (readonly [name: string, value: string])[]): string {
  return `{${labels.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}
