import { dataType } from '../../../model/schema.js';
import { maxColumnNameBytes } from '../../../model/sent-name.js';
import { cutToBytes } from '../../../text/cut.js';
import type { FieldPlan, ValuePlan, Wave } from '../../model/scenario.js';
import type { JsonNode } from '../keys/json-text.js';
import { kindOf, type Setting } from '../keys/setting.js';
import { field } from '../keys/table.js';
import type { Section } from './section.js';
import {
  columnType,
  decimalBounds,
  type FieldRole,
  type LoadType,
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
const waveTypes = ['INT', 'BIGINT', 'FLOAT', 'DOUBLE'];

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

/** The fields of one entry; `before` is how many there are already, for names that are not given. */
function readField(section: Section, role: FieldRole, before: number): readonly FieldPlan[] {
  const type = readType(section, role);
  const count = section.get(field.count);
  if (type === undefined) return [];
  if (type.name === 'DECIMAL') return readDecimal(section, role, count, before);
  const isJson = type.name === 'JSON';
  const length = readLength(section, type, role);
  const values = readValues(section, type, length, role, isJson ? count : 1);
  const sma = readSma(section, role);
  const columns = isJson ? 1 : Math.min(count, maxFields[role] + 1);
  const name = section.get(field.name);
  checkName(section, name, columns);
  const unnamed = (at: number): string => (isJson ? 'jtag' : `${role === 'column' ? 'c' : 't'}${before + at}`);
  return namedFields(name, columns, unnamed, { type: columnType(type, length), values, sma });
}

/** Columns of DECIMAL: `precision` and `scale`, and bounds from `dec_min` and `dec_max` or `min` and `max`. */
function readDecimal(section: Section, role: FieldRole, count: number, before: number): readonly FieldPlan[] {
  const digits = { precision: section.get(field.precision), scale: section.get(field.scale) };
  if (digits.scale > digits.precision) section.refuse(field.scale, 'is above precision');
  if (role === 'tag') section.refuse(field.type, 'only columns can be DECIMAL');
  const widest = decimalBounds(digits);
  const bound = (exact: 'decimalMin' | 'decimalMax', plain: 'min' | 'max'): bigint => {
    const setting = section.has(field[exact]) ? field[exact] : field[plain];
    const value = section.textOf(setting);
    if (value === undefined) return widest[plain];
    const scaled = scaledDecimal(value, digits);
    if (scaled !== undefined && scaled >= widest.min && scaled <= widest.max) return scaled;
    section.refuse(setting, `${value} is no value of DECIMAL(${digits.precision},${digits.scale})`);
    return widest[plain];
  };
  const [min, max] = [bound('decimalMin', 'min'), bound('decimalMax', 'max')];
  if (min > max) section.refuse(section.has(field.decimalMin) ? field.decimalMin : field.min, 'is above the maximum');
  const values: ValuePlan = section.get(field.length) === 0 ? { kind: 'null' } : { kind: 'range', min, max };
  const columns = Math.min(count, maxFields[role] + 1);
  const name = section.get(field.name);
  checkName(section, name, columns);
  return namedFields(name, columns, (at) => `c${before + at}`, {
    type: dataType('DECIMAL', digits.precision, digits.scale),
    values,
    sma: readSma(section, role),
  });
}

/** Fields that are alike but for their names: name, name_2, name_3, … */
function namedFields(
  name: string | undefined,
  count: number,
  unnamed: (at: number) => string,
  field: Omit<FieldPlan, 'name'>,
): readonly FieldPlan[] {
  return Array.from({ length: count }, (_, at) => ({
    name: name === undefined ? unnamed(at) : at === 0 ? name : `${name}_${at + 1}`,
    ...field,
  }));
}

function readType(section: Section, role: FieldRole): LoadType | undefined {
  const text = section.get(field.type);
  if (text === undefined)
    return section.has(field.type) ? undefined : section.missing(field.type, 'the name of a type');
  const type = loadTypeOf(text);
  if (type === undefined) return section.refuse(field.type, `unknown data type ${JSON.stringify(text)}`);
  return type.name === 'JSON' && role === 'column' ? section.refuse(field.type, 'only tags can be JSON') : type;
}

function checkName(section: Section, name: string | undefined, columns: number): void {
  if (name === '') section.refuse(field.name, 'is empty');
  const longest = columns > 1 ? `${name}_${columns}` : (name ?? '');
  if (Buffer.byteLength(longest) > maxColumnNameBytes) {
    section.refuse(field.name, `${JSON.stringify(longest)} is longer than ${maxColumnNameBytes} bytes`);
  }
}

/** Length of texts; 0 of other types is kept, because it makes the column NULL. */
function readLength(section: Section, type: LoadType, role: FieldRole): number {
  const length = section.get(field.length);
  const counts = type.sized === true || type.name === 'JSON';
  if (length === undefined) return counts ? defaultLength : 1;
  const most = maxLengthOf(type, role);
  if (counts && (length < 1 || length > most)) {
    section.refuse(field.length, `${length} is out of range; allowed: 1 to ${most}`);
    return defaultLength;
  }
  return length;
}

function readSma(section: Section, role: FieldRole): boolean {
  const sma = section.get(field.sma);
  if (sma && role === 'tag') section.warn(field.sma, 'has no effect on a tag');
  return sma && role === 'column';
}

/** Source of a field's values: a wave before listed texts, these before bounds, these before what is usual. */
function readValues(section: Section, type: LoadType, length: number, role: FieldRole, pairs: number): ValuePlan {
  if (type.name === 'JSON') return readJson(section, pairs, length);
  if (type.sized === true) return readChoice(section, type, length) ?? { kind: 'text', length };
  if (section.has(field.values)) section.warn(field.values, 'has an effect on NCHAR and BINARY only');
  if (length === 0) return { kind: 'null' };
  const wave = readFun(section, type, role);
  if (wave !== undefined) return wave;
  if (!section.has(field.min) && !section.has(field.max)) return usualValues(type, length, role);
  const bounds = readBounds(section, type);
  return bounds === undefined ? usualValues(type, length, role) : { kind: 'range', ...bounds };
}

function readJson(section: Section, pairs: number, length: number): ValuePlan {
  if (pairs * (length + jsonMemberLength) <= maxJsonText) return { kind: 'json', pairs, length };
  section.refuse(
    field.count,
    `${pairs} members of ${length} characters are more than the ${maxJsonText} of a JSON tag`,
  );
  return { kind: 'json', pairs: 1, length };
}

function readFun(section: Section, type: LoadType, role: FieldRole): ValuePlan | undefined {
  const text = section.get(field.wave);
  if (text === undefined || text === '') return undefined;
  if (role === 'tag' || !waveTypes.includes(type.name)) {
    section.warn(field.wave, 'has an effect on columns of INT, BIGINT, FLOAT and DOUBLE only');
    return undefined;
  }
  const wave = readWave(text);
  if (wave !== undefined) return { kind: 'wave', wave };
  return section.refuse(field.wave, `${JSON.stringify(text)} is not of the form <a>*sin(x)+<b>*random(<n>)`);
}

/** Texts of `values`, cut to the length of the type. */
function readChoice(section: Section, type: LoadType, length: number): ValuePlan | undefined {
  const items = section.get(field.values);
  if (items === undefined) return undefined;
  if (items.length === 0) return section.refuse(field.values, 'is empty');
  const values: string[] = [];
  for (const item of items) {
    if (item.kind !== 'string') return section.refuse(field.values, `holds ${kindOf(item)}; only texts are allowed`);
    values.push(cut(item.text, type, length));
  }
  return { kind: 'choice', values };
}

/** The first `length` characters of an NCHAR, bytes of a VARCHAR; a character that does not fit whole is left out. */
function cut(text: string, type: LoadType, length: number): string {
  if (type.name === 'NCHAR') return [...text].slice(0, length).join('');
  return cutToBytes(text, length);
}

function readBounds(section: Section, type: LoadType): NumberBounds | undefined {
  const { usual, widest } = type;
  if (usual === undefined || widest === undefined) return undefined;
  const min = readBound(section, 'min', type, widest);
  const max = readBound(section, 'max', type, widest);
  const bounds = {
    min: min ?? (max !== undefined && usual.min > max ? widest.min : usual.min),
    max: max ?? (min !== undefined && usual.max <= min ? widest.max : usual.max),
  };
  if (bounds.min <= bounds.max) return bounds;
  section.refuse(field.min, `${bounds.min} is above max, which is ${bounds.max}`);
  return undefined;
}

function readBound(
  section: Section,
  key: 'min' | 'max',
  type: LoadType,
  widest: NumberBounds,
): number | bigint | undefined {
  const value = section.get(field[key]);
  if (value === undefined) return undefined;
  const hasFractions = type.name === 'FLOAT' || type.name === 'DOUBLE';
  const bound =
    typeof value === 'bigint' ? (hasFractions ? Number(value) : value) : hasFractions ? value : Math.trunc(value);
  if (typeof value === 'number' && bound !== value) {
    section.warn(field[key], `takes whole numbers for ${type.name}; ${value} is read as ${bound}`);
  }
  if (bound >= widest.min && bound <= widest.max) return bound;
  if (type.name === 'BOOL') {
    section.inform(field[key], 'has no effect beyond 0 and 1 on BOOL');
    return bound < widest.min ? widest.min : widest.max;
  }
  return section.refuse(field[key], `${value} is out of the range of ${type.name}`);
}

const maxLength = 100;
/** A number with a star, sin or cos, and a number behind a sign, which a random share may follow. */
const pattern =
  /^(?:([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\*)?(sin|cos)\(x\)(?:([+-])((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?:\*random\((\d*)\))?)?$/;

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
