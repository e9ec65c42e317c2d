import type { FaultError } from '../../model/fault.js';

const maxTextBytes = 4095;
const maxKeyBytes = 256;

/**
 * Checks the text of a JSON tag and gives it in the form that is stored: a flat object without the members that have an
 * empty key, of equal keys the first. Keys are printable ASCII. Undefined, the NULL tag, for blank text, `null` and an
 * object without members. `fail` makes the fault of a bad text from its reason.
 */
export function parseJsonTag(text: string, fail: (reason: string) => FaultError): string | undefined {
  if (Buffer.byteLength(text) > maxTextBytes) throw fail('json string too long than 4095');
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.toLowerCase() === 'null') return undefined;
  const value = parsed(trimmed);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fail('json parse error');
  const members = new Map<string, string>();
  for (const [key, member] of membersOf(trimmed)) {
    if (/^[[{]/.test(member)) throw fail('json error invalide value');
    if (Buffer.byteLength(key) > maxKeyBytes) throw fail('json key too long error');
    if (!/^[ -~]*$/.test(key)) throw fail('json key not validate');
    const printed = printedMember(parsed(member), member);
    if (printed === 'null' && member !== 'null') throw fail('json error invalide value');
    if (key !== '' && !members.has(key)) members.set(key, printed);
  }
  if (members.size === 0) return undefined;
  return `{${Array.from(members, ([key, member]) => `${JSON.stringify(key)}:${member}`).join(',')}}`;

  function parsed(json: string): unknown {
    try {
      return JSON.parse(json);
    } catch {
      throw fail('json parse error');
    }
  }
}

/**
 * A member as it is stored: a whole number of 64 bits to the digit, other numbers as DOUBLEs. The engine reads no
 * longer whole numbers, but any with an exponent.
 */
function printedMember(member: unknown, written: string): string {
  if (typeof member !== 'number' || Number.isSafeInteger(member)) return JSON.stringify(member);
  const whole = /^-?[0-9]{1,20}$/.test(written) ? BigInt(written) : undefined;
  if (whole !== undefined && (BigInt.asIntN(64, whole) === whole || BigInt.asUintN(64, whole) === whole))
    return written;
  return Math.abs(member) >= 2 ** 63 && Number.isFinite(member) ? member.toExponential() : JSON.stringify(member);
}

/**
 * Keys and value texts of a valid JSON object in the order written, of which JSON.parse would keep the last of equals.
 */
function* membersOf(object: string): Generator<[key: string, value: string]> {
  const token = /\s*("(?:[^"\\]|\\.)*"|[{[\]},:]|[^\s{[\]},:"]+)/y;
  token.lastIndex = object.indexOf('{') + 1;
  let key: string | undefined;
  for (let match = token.exec(object); match !== null; match = token.exec(object)) {
    const text = match[1] ?? '';
    if (text === '}') return;
    if (text === ',' || text === ':') continue;
    if (key === undefined) {
      key = String(JSON.parse(text));
    } else {
      yield [key, text];
      // a nested value ends the reading: the caller refuses it
      if (text === '{' || text === '[') return;
      key = undefined;
    }
  }
}
