import { Codes, FaultError, fault } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import type { Precision } from '../../model/schema.js';
import type { DatabaseOption } from '../../sql/syntax/ast-statement.js';

/** One option of CREATE DATABASE: what it may hold and what it is by default. */
interface OptionRule {
  readonly default: string;
  readonly alter: boolean;
  readonly range?: readonly [number, number];
  readonly allowed?: readonly string[];
  /** The one value, in lower case, that does what it says here; any other is refused as not supported. */
  readonly only?: string;
  /** Values with a unit of time: the unit of a bare number, and the range in minutes. */
  readonly duration?: {
    readonly unit: 'm' | 'h' | 'd';
    readonly minutes: readonly [number, number];
    readonly values: number;
  };
}

const day = 1440;

const rules: Readonly<Record<string, OptionRule>> = {
  PRECISION: { default: 'ms', alter: false, allowed: ['ms', 'us', 'ns'] },
  KEEP: { default: '3650d', alter: true, duration: { unit: 'd', minutes: [day, 365000 * day], values: 3 } },
  DURATION: { default: '10d', alter: false, duration: { unit: 'd', minutes: [60, 3650 * day], values: 1 } },
  VGROUPS: { default: '2', alter: false, range: [1, 1024] },
  REPLICA: { default: '1', alter: true, range: [1, 3] },
  BUFFER: { default: '256', alter: true, range: [3, 16384] },
  CACHEMODEL: { default: 'none', alter: true, allowed: ['none', 'last_row', 'last_value', 'both'] },
  CACHESIZE: { default: '1', alter: true, range: [1, 65536] },
  COMP: { default: '2', alter: false, range: [0, 2] },
  WAL_LEVEL: { default: '1', alter: true, range: [0, 2] },
  WAL_FSYNC_PERIOD: { default: '3000', alter: true, range: [0, 180000] },
  WAL_RETENTION_PERIOD: { default: '3600', alter: true, range: [-1, 2147483647] },
  WAL_RETENTION_SIZE: { default: '0', alter: true, range: [-1, 2147483647] },
  WAL_ROLL_PERIOD: { default: '0', alter: true, range: [0, 2147483647] },
  WAL_SEGMENT_SIZE: { default: '0', alter: true, range: [0, 2147483647] },
  MAXROWS: { default: '4096', alter: false, range: [200, 10000] },
  MINROWS: { default: '100', alter: true, range: [10, 1000] },
  PAGES: { default: '256', alter: true, range: [64, 2147483647] },
  PAGESIZE: { default: '4', alter: false, range: [1, 16384] },
  STT_TRIGGER: { default: '2', alter: true, range: [1, 16] },
  TSDB_PAGESIZE: { default: '4', alter: false, range: [1, 16384] },
  SINGLE_STABLE: { default: '0', alter: false, range: [0, 1] },
  TABLE_PREFIX: { default: '0', alter: false, range: [-191, 191] },
  TABLE_SUFFIX: { default: '0', alter: false, range: [-191, 191] },
  KEEP_TIME_OFFSET: { default: '0', alter: true, range: [0, 23] },
  STRICT: { default: 'on', alter: false, allowed: ['on', 'off'] },
  SCHEMALESS: { default: '0', alter: false, range: [0, 1] },
  DNODES: { default: '', alter: false },
  RETENTIONS: { default: '', alter: false },
  ENCRYPT_ALGORITHM: { default: 'none', alter: false, only: 'none' },
  SS_CHUNKPAGES: { default: '131072', alter: false, range: [4096, 2147483647] },
  SS_KEEPLOCAL: { default: '365d', alter: true, duration: { unit: 'd', minutes: [day, 365000 * day], values: 1 } },
  SS_COMPACT: { default: '1', alter: true, range: [0, 1] },
  COMPACT_INTERVAL: { default: '0d', alter: true, duration: { unit: 'd', minutes: [0, 365000 * day], values: 1 } },
  COMPACT_TIME_RANGE: { default: '0d,0d', alter: true },
  COMPACT_TIME_OFFSET: { default: '0h', alter: true },
  WITH_ARBITRATOR: { default: '0', alter: false, range: [0, 1] },
  CACHESHARDBITS: { default: '-1', alter: false, range: [-1, 20] },
};

/** What older servers call some of them. */
const olderNames: Readonly<Record<string, string>> = {
  S3_CHUNKPAGES: 'SS_CHUNKPAGES',
  S3_KEEPLOCAL: 'SS_KEEPLOCAL',
  S3_COMPACT: 'SS_COMPACT',
};

/** Checked options of a database: all that was given, by upper-case name, and the ones that have an effect. */
interface DatabaseOptions {
  readonly options: Readonly<Record<string, string>>;
  readonly precision: Precision;
  /** Undefined when KEEP was not given. */
  readonly keepDays: number | undefined;
}

/**
 * Reads the options of CREATE DATABASE, or of ALTER DATABASE when there are options `before` it. Throws a FaultError
 * that names option, value and what is allowed, or quotes the `statement` from an option on that cannot be altered.
 */
export function databaseOptions(
  options: readonly DatabaseOption[],
  before: Readonly<Record<string, string>> | undefined,
  statement: string,
): DatabaseOptions {
  const altering = before !== undefined;
  const texts: Record<string, string> = {};
  let precision: Precision = 'ms';
  let keepMinutes: number | undefined;
  for (const { name: written, values, span } of options) {
    const name = olderNames[written] ?? written;
    const rule = rules[name];
    if (rule === undefined || (altering && !rule.alter)) {
      const near = statement.slice(span.start).trimEnd();
      throw new FaultError(fault('syntax', Codes.syntaxError, `syntax error near "${near}"`));
    }
    const text = values.join(',');
    if (rule.only !== undefined && rule.only !== text.toLowerCase()) {
      throw new FaultError(notSupported(`${name} '${text}' of a database`));
    }
    if (rule.range !== undefined) checkRange(name, text, rule.range);
    if (rule.allowed !== undefined && !rule.allowed.includes(text.toLowerCase()))
      throw invalidOption(name, `'${text}'`);
    if (rule.duration !== undefined) {
      const minutes = durations(name, values, rule.duration);
      if (name === 'KEEP') keepMinutes = minutes.at(-1);
    }
    if (name === 'PRECISION') precision = precisionOf(text.toLowerCase());
    texts[name] = text;
  }
  checkTogether({ ...before, ...texts });
  return {
    options: texts,
    precision,
    keepDays: keepMinutes === undefined ? undefined : Math.max(1, Math.ceil(keepMinutes / day)),
  };
}

/** Rules between options; `options` are all that were ever given. */
function checkTogether(options: Readonly<Record<string, string>>): void {
  const { KEEP = '', DURATION = '', MINROWS, MAXROWS } = effectiveOptions(options);
  const keep = minutesOf(shortestKeep(KEEP));
  if (keep < 3 * minutesOf(DURATION)) {
    const way = options.KEEP === KEEP ? `write DURATION ${Math.floor(keep / 3)}m or less` : 'write KEEP, too';
    throw invalidOption('keep', `${KEEP}, it must be at least 3 times duration, which is ${DURATION}; ${way}`);
  }
  if (Number(MINROWS) >= Number(MAXROWS)) throw invalidOption('minrows', `${MINROWS}, it must be less than maxrows`);
}

function precisionOf(text: string): Precision {
  return text === 'us' || text === 'ns' ? text : 'ms';
}

function checkRange(name: string, text: string, [low, high]: readonly [number, number]): void {
  if (/^[+-]?\d+$/.test(text) && Number(text) >= low && Number(text) <= high) return;
  throw invalidOption(name, `${text} valid range: [${low}, ${high}]`);
}

function durations(name: string, values: readonly string[], rule: NonNullable<OptionRule['duration']>): number[] {
  const [low, high] = rule.minutes;
  const units = { m: 1, h: 60, d: day };
  const minutes = values.map((text) => {
    const [, count, unit = rule.unit] = /^(\d+)([mhd])?$/i.exec(text) ?? [];
    const known = unit.toLowerCase();
    const factor = known === 'm' || known === 'h' || known === 'd' ? units[known] : Number.NaN;
    const value = Number(count) * factor;
    if (!(value >= low && value <= high)) throw invalidOption(name, `${text} valid range: [${low}m, ${high}m]`);
    return value;
  });
  const rising = minutes.every((value, i) => i === 0 || value >= minutes[i - 1]!);
  if (values.length > rule.values || !rising) throw invalidOption(name, values.join(','));
  return minutes;
}

function invalidOption(name: string, text: string): FaultError {
  return new FaultError(
    fault('database', Codes.invalidDatabaseOption, `Invalid option ${name.toLowerCase()}: ${text}`),
  );
}

/** Every option with its value: what was given, otherwise the default. A short KEEP makes the default of DURATION shorter. */
export function effectiveOptions(options: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const [name, rule] of Object.entries(rules)) all[name] = options[name] ?? rule.default;
  const { KEEP = '', DURATION = '' } = all;
  const third = Math.floor(minutesOf(shortestKeep(KEEP)) / 3);
  if (options.DURATION === undefined && third < minutesOf(DURATION)) all.DURATION = `${third}m`;
  return all;
}

/** The first of the values of KEEP, of which each is at least as long as the one before. */
function shortestKeep(text: string): string {
  return text.split(',')[0] ?? '';
}

/** Minutes of a length of time; a bare number means days. */
function minutesOf(text: string): number {
  const [, count = '', unit = 'd'] = /^(\d+)([mhd])?$/i.exec(text) ?? [];
  const factors: Readonly<Record<string, number>> = { m: 1, h: 60, d: day };
  return Number(count) * (factors[unit.toLowerCase()] ?? day);
}

/** A length of time in its largest whole unit: `3650d`, `12h`, `90m`; a bare number means days. */
export function durationText(text: string): string {
  const minutes = minutesOf(text);
  if (minutes % day === 0) return `${minutes / day}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

/** The three values of KEEP; those not given are like the last one that was. */
export function keepText(text: string): string {
  const durations = text.split(',').map(durationText);
  return [0, 1, 2].map((at) => durations[at] ?? durations.at(-1)).join(',');
}
