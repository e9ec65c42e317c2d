import { hasInOrder } from '../../text/in-order.js';
import { conditionSettings, isSmall } from './settings.js';

/** The series of a super table that a statement reads, as conditions on tags choose them. */
export interface ChosenSeries {
  /** The column of series ids as the statement knows it. */
  readonly column: string;
  /** SELECT that gives their ids. */
  readonly ids: string;
}

/** Quoted texts and names, and brackets. */
const pieces = /'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?|[()]/gs;
const columnBefore = /\b(\w+\.id) IN $/;
const idsBehind = /\(SELECT g\d+\.id FROM [\w.]+ AS g\d+ FINAL WHERE /y;
/** One of the conditions compares a tag, or the name, with a value or with several: it leaves few series. */
function leavesFew(ids: string): boolean {
  return / AND \((?:and\()?(?:equals|in)\(/.test(ids) || hasInOrder(ids, / AND \(and\(/, /, (?:equals|in)\(/);
}

/** The series that conditions on tags choose, where a statement has one set of such, which is likely to be small, and few conditions: the engine reads them twice. */
export function chosenSeries(sql: string): ChosenSeries | undefined {
  let chosen: ChosenSeries | undefined;
  let begun: { readonly column: string; readonly at: number; readonly depth: number } | undefined;
  let depth = 0;
  for (const { 0: piece, index } of sql.matchAll(pieces)) {
    if (piece === '(') {
      depth++;
      const column =
        begun === undefined ? columnBefore.exec(sql.slice(Math.max(0, index - 64), index))?.[1] : undefined;
      idsBehind.lastIndex = index;
      if (column !== undefined && idsBehind.test(sql)) begun = { column, at: index + 1, depth };
    } else if (piece === ')') {
      if (begun?.depth === depth) {
        const { column, at } = begun;
        const ids = sql.slice(at, index);
        if (chosen !== undefined && (chosen.ids !== ids || chosen.column !== column)) return undefined;
        chosen = { column, ids };
        begun = undefined;
      }
      depth--;
    }
  }
  if (chosen === undefined || !isSmall(chosen.ids)) return undefined;
  return leavesFew(chosen.ids) && !/\bselect\b/i.test(chosen.ids.slice(1)) ? chosen : undefined;
}

/** The statement with ids in digits, one at least, instead of the SELECT that gives them. */
export function withIds(sql: string, { column, ids }: ChosenSeries, digits: readonly string[]): string {
  const condition = digits.length === 1 ? ` = ${digits[0]}` : ` IN (${digits.join(', ')})`;
  return sql.replaceAll(`${column} IN (${ids})`, `${column}${condition}`);
}

/** The statement that gives the ids, a line each: `most` of them, or one more where there are more. */
export function statementOfIds({ ids }: ChosenSeries, most: number): string {
  const settings = `enable_analyzer = 0${conditionSettings(ids.slice(ids.indexOf(' WHERE ')))}`;
  return `${ids} LIMIT ${most + 1} SETTINGS ${settings} FORMAT TSV`;
}
