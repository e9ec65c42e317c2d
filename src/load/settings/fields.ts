import { dataType, type TypeName } from '../../model/schema.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import { cutToBytes } from '../../text/cut.js';
import type { JsonNode } from '../../text/json-tree.js';
import type { FieldPlan, ValuePlan, Wave } from '../model/scenario.js';
import { kindOf, type Setting } from './keys/setting.js';
import { field } from './keys/table.js';
import type { Section } from './section.js';
import {
  boundsOf,
  columnType,
  decimalBounds,
  type FieldRole,
  type FieldShape,
  isSized,
  loadTypeOf,
  maxFields,
  maxLengthOf,
  type NumberBounds,
  scaledDecimal,
  usualValues,
} from './types.js';

const defaultLength = 64;
/** Longest text of a JSON tag, in characters. */
const maxJsonText = 4095;
/** Bytes of a member beside its value: two pairs of quotes, a colon, a comma, and its key. */
const jsonMemberLength = 9;
/** Types that `fun` can fill. */
const waveTypes: readonly TypeName[] = ['INT', 'BIGINT', 'FLOAT', 'DOUBLE'];

/** Columns or tags of a super table, `count` spelled out; what is wrong with them is in the report. */
export function readFields(
  table: Section,
  key: Setting<readonly JsonNode[] | undefined>,
  role: FieldRole,
): readonly FieldPlan[] {
  const fields: FieldPlan[] = [];
  for (const section of table.sections(key, 'field')) {
    fields.push(...readField(section, role, fields.length));
    if (fields.length > maxFields[role]) {
      table.refuse(key, `there are more than ${maxFields[role]}`);
      return [];
    }
  }
  return fields;
}

/** The fields of one entry: name, name_2, name_3, …; `before` is how many there are already, for default names. */
function readField(section: Section, role: FieldRole, before: number): readonly FieldPlan[] {
  const type = readType(section, role);
  const { count, name, sma } = section.all(field, 'count', 'name', 'sma');
  if (type === undefined) return [];
  const isJson = type === 'JSON';
  const shape = type === 'DECIMAL' ? readDecimal(section, role) : readShape(section, type, role);
  if (sma && role === 'tag') section.warn(field.sma, 'has no effect on a tag');
  const columns = isJson ? 1 : Math.min(count, maxFields[role] + 1);
  checkName(section, name, columns);
  return Array.from({ length: columns }, (_, at) => {
    const unnamed = isJson ? 'jtag' : `${role === 'column' ? 'c' : 't'}${before + at}`;
    const own = name === undefined || at === 0 ? name : `${name}_${at + 1}`;
    return { name: own ?? unnamed, ...shape, sma: sma && role === 'column' };
  });
}

function readType(section: Section, role: FieldRole): TypeName | undefined {
  const text = section.get(field.type);
  if (text === undefined)
    return section.has(field.type) ? undefined : section.missing(field.type, 'the name of a type');
  const type = loadTypeOf(text);
  if (type === undefined) return section.refuse(field.type, `unknown data type ${JSON.stringify(text)}`);
  return type === 'JSON' && role === 'column' ? section.refuse(field.type, 'only tags can be JSON') : type;
}

function checkName(section: Section, name: string | undefined, columns: number): void {
  if (name === '') section.refuse(field.name, 'is empty');
  const longest = columns > 1 ? `${name}_${columns}` : (name ?? '');
  if (Buffer.byteLength(longest) <= maxColumnNameBytes) return;
  section.refuse(field.name, `${JSON.stringify(longest)} is longer than ${maxColumnNameBytes} bytes`);
}

/** A DECIMAL: `precision` and `scale`, and bounds from `dec_min` and `dec_max` or `min` and `max`. */
function readDecimal(section: Section, role: FieldRole): FieldShape {
  const { precision, scale, length } = section.all(field, 'precision', 'scale', 'length');
  const digits = { precision, scale };
  if (scale > precision) section.refuse(field.scale, 'is above precision');
  if (role === 'tag') section.refuse(field.type, 'only columns can be DECIMAL');
  const widest = decimalBounds(digits);
  const bound = (exact: 'decimalMin' | 'decimalMax', plain: 'min' | 'max'): bigint => {
    const setting = section.has(field[exact]) ? field[exact] : field[plain];
    const value = section.textOf(setting);
    if (value === undefined) return widest[plain];
    const scaled = scaledDecimal(value, digits);
    if (scaled !== undefined && scaled >= widest.min && scaled <= widest.max) return scaled;
    section.refuse(setting, `${value} is no value of DECIMAL(${precision},${scale})`);
    return widest[plain];
  };
  const [min, max] = [bound('decimalMin', 'min'), bound('decimalMax', 'max')];
  if (min > max) section.refuse(section.has(field.decimalMin) ? field.decimalMin : field.min, 'is above the maximum');
  const values: ValuePlan = length === 0 ? { kind: 'null' } : { kind: 'range', min, max };
  return { type: dataType('DECIMAL', precision, scale), values };
}

function readShape(section: Section, type: TypeName, role: FieldRole): FieldShape {
  const length = readLength(section, type, role);
  return { type: columnType(type, length), values: readValues(section, type, length, role) };
}

/** Length of texts; 0 of other types counts, because it makes the column NULL. */
function readLength(section: Section, type: TypeName, role: FieldRole): number {
  const length = section.get(field.length);
  const counts = isSized(type) || type === 'JSON';
  if (length === undefined) return counts ? defaultLength : 1;
  const most = maxLengthOf(type, role);
  if (!counts || (length >= 1 && length <= most)) return length;
  section.refuse(field.length, `${length} is out of range; allowed: 1 to ${most}`);
  return defaultLength;
}

/** The plan of a field's values: a wave before listed texts, these before bounds, these before the usual ones. */
function readValues(section: Section, type: TypeName, length: number, role: FieldRole): ValuePlan {
  if (type === 'JSON') return readJson(section, length);
  if (isSized(type)) return readChoice(section, type, length) ?? { kind: 'text', length };
  if (section.has(field.values)) section.warn(field.values, 'has an effect on NCHAR and BINARY only');
  if (length === 0) return { kind: 'null' };
  return readFun(section, type, role) ?? readBounds(section, type) ?? usualValues(type, length, role);
}

function readJson(section: Section, length: number): ValuePlan {
  const pairs = section.get(field.count);
  if (pairs * (length + jsonMemberLength) <= maxJsonText) return { kind: 'json', pairs, length };
  const text = `${pairs} members of ${length} characters are more than the ${maxJsonText} of a JSON tag`;
  section.refuse(field.count, text);
  return { kind: 'json', pairs: 1, length };
}

function readFun(section: Section, type: TypeName, role: FieldRole): ValuePlan | undefined {
  const text = section.get(field.wave);
  if (text === undefined || text === '') return undefined;
  if (role === 'tag' || !waveTypes.includes(type)) {
    section.warn(field.wave, 'has an effect on columns of INT, BIGINT, FLOAT and DOUBLE only');
    return undefined;
  }
  const wave = readWave(text);
  if (wave !== undefined) return { kind: 'wave', wave };
  return section.refuse(field.wave, `${JSON.stringify(text)} is not of the form <a>*sin(x)+<b>*random(<n>)`);
}

/** Texts of `values`, cut to the length of the type: characters of an NCHAR, bytes of a VARCHAR. */
function readChoice(section: Section, type: TypeName, length: number): ValuePlan | undefined {
  const items = section.get(field.values);
  if (items === undefined) return undefined;
  if (items.length === 0) return section.refuse(field.values, 'is empty');
  const values: string[] = [];
  for (const item of items) {
    if (item.kind !== 'string') return section.refuse(field.values, `holds ${kindOf(item)}; only texts are allowed`);
    values.push(type === 'NCHAR' ? [...item.text].slice(0, length).join('') : cutToBytes(item.text, length));
  }
  return { kind: 'choice', values };
}

function readBounds(section: Section, type: TypeName): ValuePlan | undefined {
  const bounds = boundsOf(type);
  if (bounds === undefined || (!section.has(field.min) && !section.has(field.max))) return undefined;
  const { usual, widest } = bounds;
  const min = readBound(section, 'min', type, widest);
  const max = readBound(section, 'max', type, widest);
  const range = {
    min: min ?? (max !== undefined && usual.min > max ? widest.min : usual.min),
    max: max ?? (min !== undefined && usual.max <= min ? widest.max : usual.max),
  };
  if (range.min <= range.max) return { kind: 'range', ...range };
  return section.refuse(field.min, `${range.min} is above max, which is ${range.max}`);
}

function readBound(
  section: Section,
  key: 'min' | 'max',
  type: TypeName,
  widest: NumberBounds,
): number | bigint | undefined {
  const value = section.get(field[key]);
  if (value === undefined) return undefined;
  const hasFractions = type === 'FLOAT' || type === 'DOUBLE';
  const bound = hasFractions ? Number(value) : typeof value === 'bigint' ? value : Math.trunc(value);
  if (typeof value === 'number' && bound !== value) {
    section.warn(field[key], `takes whole numbers for ${type}; ${value} is read as ${bound}`);
  }
  if (bound >= widest.min && bound <= widest.max) return bound;
  if (type !== 'BOOL') return section.refuse(field[key], `${value} is out of the range of ${type}`);
  section.inform(field[key], 'has no effect beyond 0 and 1 on BOOL');
  return bound < widest.min ? widest.min : widest.max;
}

const maxWaveLength = 100;
/** A number with a star, sin or cos, and a number behind a sign, which a random share may follow. */
const pattern =
  /^(?:([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\*)?(sin|cos)\(x\)(?:([+-])((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?:\*random\((\d*)\))?)?$/;

/**
 * Reads the value of `fun`: `<a>*sin(x)+<b>*random(<n>)`, or with cos, or with minus; `b` may stand without `random`,
 * or be missing. Blanks count for nothing. Undefined when it is something else.
 */
export function readWave(text: string): Wave | undefined {
  const plain = text.replace(/\s+/g, '');
  const match = plain.length <= maxWaveLength ? pattern.exec(plain) : null;
  if (match === null) return undefined;
  const [, amplitude = '1', shape, sign = '+', offset = '0', fluctuation = ''] = match;
  return {
    shape: shape === 'cos' ? 'cos' : 'sin',
    amplitude: Number(amplitude),
    offset: sign === '-' && Number(offset) !== 0 ? -Number(offset) : Number(offset),
    fluctuation: Number(fluctuation),
  };
}
