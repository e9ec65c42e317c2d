import { lengthFault, longestWidth } from '../../model/row-length.js';
import { lastTick, type Precision, ticksPerSecond } from '../../model/schema.js';
import { type FieldPlan, isSchemaless, type SuperTablePlan } from '../model/scenario.js';

/** Most memory that prepared rows of one super table may take. */
const maxPoolBytes = 2 * 1024 ** 3;
/** Longest names, in bytes. */
const maxNameBytes = { database: 64, table: 192 } as const;

/** Mistakes that every server refuses, one line each without a full stop: checked before anything is dropped. */
export function tableMistakes(plan: SuperTablePlan): readonly string[] {
  const mistakes: string[] = [];
  const schemaless = isSchemaless(plan.mode);
  if (schemaless && plan.normalTables) {
    mistakes.push(`the insert mode ${plan.mode} needs tags: it cannot write to normal tables`);
  }
  if (schemaless && plan.tags.some(({ type }) => type.name === 'JSON')) {
    mistakes.push(`a JSON tag cannot be written by the insert mode ${plan.mode}`);
  }
  const hasDecimal = plan.columns.some(({ type }) => type.name === 'DECIMAL');
  if (hasDecimal && (schemaless || plan.sample !== undefined)) {
    mistakes.push('a DECIMAL column can be written neither from a sample file nor without a schema');
  }
  for (const name of [plan.name, `${plan.childPrefix}${plan.childTo}`]) {
    mistakes.push(...nameMistakes('table', name, !schemaless));
  }
  if (plan.tags.length > 1 && plan.tags.some(({ type }) => type.name === 'JSON')) {
    mistakes.push('a JSON tag must be the only tag');
  }
  return [...mistakes, ...repeatedNames(plan), ...lengthMistakes(plan), ...poolMistakes(plan)];
}

/** A line when rows would lie beyond the last time that the database takes. */
export function timeMistakes(plan: SuperTablePlan, precision: Precision): readonly string[] {
  const { start, step, rows, nonStop, sample } = plan;
  if (rows === 0 || nonStop || sample?.useTimes === true) return [];
  const last = start + step * BigInt(rows - 1);
  const most = lastTick(precision);
  return last <= most
    ? []
    : [`the last row would be at ${last}, after ${most}, the last time of precision ${precision}`];
}

/** A line when rows of a format without fractions of milliseconds would take each other's times. */
export function lostTimes(plan: SuperTablePlan, precision: Precision): string | undefined {
  const holdsTicks = plan.format === 'line' || plan.format === 'taosjson';
  if (!isSchemaless(plan.mode) || holdsTicks || plan.rows < 2) return undefined;
  const ticks = BigInt(ticksPerSecond(precision) / 1000);
  return plan.step % ticks === 0n
    ? undefined
    : `${plan.format} holds milliseconds: of rows that are less than one apart only the last is kept`;
}

/** Prepared rows stay in memory; without interlaced rows no more than a sub-table has. */
function poolMistakes({ columns, preparedRows, interlaceRows, nonStop, rows }: SuperTablePlan): readonly string[] {
  const pooled = interlaceRows > 0 || nonStop ? preparedRows : Math.min(preparedRows, rows);
  const bytes = pooled * columns.reduce((sum, { type }) => sum + type.length, 0);
  if (bytes <= maxPoolBytes) return [];
  return [
    `${pooled} prepared rows would take ${Math.round(bytes / 1048576)} MB, more than ${maxPoolBytes / 1048576} MB`,
  ];
}

/** Lengths that the database would refuse only after the old one was dropped. */
function lengthMistakes({ columns, tags }: SuperTablePlan): readonly string[] {
  const tooLong = [...tooLongFields(columns, 'column'), ...tooLongFields(tags, 'tag')];
  if (tooLong.length > 0) return tooLong;
  const failure = lengthFault(columns, tags);
  return failure === undefined ? [] : [failure.message];
}

function tooLongFields(fields: readonly FieldPlan[], role: 'column' | 'tag'): readonly string[] {
  return fields.flatMap(({ name, type }) => {
    const most = longestWidth(type.name, role) ?? type.length;
    return type.length <= most
      ? []
      : [`the ${role} ${name} is ${type.length} long; ${type.name} takes 1 to ${most} there`];
  });
}

/**
 * A line when a name is empty, too long, or holds what no name is meant to hold; `inSql` also when it holds a dot,
 * which parts names of an INSERT even in quotes.
 */
export function nameMistakes(what: 'database' | 'table', name: string, inSql = true): readonly string[] {
  if (name === '') return [`the name of the ${what} is empty`];
  if (/[`\p{Cc}]/u.test(name)) {
    return [`the name ${JSON.stringify(name)} of a ${what} holds a back quote or a control character`];
  }
  if (inSql && name.includes('.')) return [`the name ${JSON.stringify(name)} of a ${what} holds a dot`];
  return Buffer.byteLength(name) > maxNameBytes[what]
    ? [`the name ${JSON.stringify(name)} of a ${what} is longer than ${maxNameBytes[what]} bytes`]
    : [];
}

/** Columns and tags of one table differ by name, whatever its case. */
function repeatedNames({ columns, tags }: SuperTablePlan): readonly string[] {
  const seen = new Set(['ts']);
  const repeated: string[] = [];
  for (const { name } of [...columns, ...tags]) {
    if (seen.has(name.toLowerCase())) repeated.push(`the name ${JSON.stringify(name)} is given to two columns or tags`);
    seen.add(name.toLowerCase());
  }
  return repeated;
}
