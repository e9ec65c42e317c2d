import { Codes } from '../../../model/fault.js';
import { type Member, memberNamed, type Relation } from '../../resolve/relation.js';
import type { Expression, Name, SelectItem, Span } from '../../syntax/ast.js';
import {
  boundOf,
  exponentialColumns,
  hasStar,
  histogramCall,
  histogramQuantile,
  nativeColumns,
} from '../../syntax/histogram-call.js';
import { expressionsIn, mapParts } from '../../syntax/tree.js';
import { refuse } from '../../values/context.js';

/** An item of the select list after `*` was spelled out; `name` is its name in the result. */
export interface Item {
  readonly value: Expression;
  readonly name: string;
  /** True when the name was given with AS. */
  readonly aliased: boolean;
}

/** Functions whose `*` stands for one call per column. */
const perColumn: ReadonlySet<string> = new Set(['FIRST', 'LAST', 'LAST_ROW', 'INTERP']);

/** Spells out `*`, `t.*` and the stars in `last(*)`, `cols(last(ts), *)` and their like. */
export function expandItems(items: readonly SelectItem[], relation: Relation | undefined): Item[] {
  return items.flatMap((item): Item[] => {
    const { value, alias, text } = item;
    if (value.kind === 'star') return starItems(relation, value.table, value.span);
    const [picker, picked] = value.kind === 'call' && value.name === 'COLS' ? value.args : [];
    if (value.kind === 'call' && picker !== undefined && picked?.kind === 'star') {
      return starItems(relation, picked.table, picked.span).map((column) => {
        return { ...column, value: { ...value, args: [picker, column.value] } };
      });
    }
    const star = value.kind === 'call' && perColumn.has(value.name) ? value.args[0] : undefined;
    if (value.kind === 'call' && star?.kind === 'star') {
      const more = value.args.slice(1);
      const columns = starColumns(relation, star.table, false);
      // INTERP gives values at times, which a row's own time is not.
      const starred = value.name === 'INTERP' ? columns.filter(({ name }) => !isTime(relation, name)) : columns;
      return starred.map(({ name, qualifier }) => ({
        value: { ...value, args: [columnNamed(name, qualifier, star.span), ...more] },
        name: `${value.name.toLowerCase()}(${name})`,
        aliased: false,
      }));
    }
    const spelled = withBuckets(value, relation);
    return [{ value: spelled, name: alias?.text ?? text, aliased: alias !== undefined }];
  });
}

type Call = Extract<Expression, { kind: 'call' }>;

/** An expression in which calls of HISTOGRAM_QUANTILE have the columns of a histogram in place of `*`. */
export function withBuckets(expression: Expression, relation: Relation | undefined): Expression {
  const isStarred = (part: Expression): part is Call =>
    part.kind === 'call' && part.name === histogramQuantile.written && part.args.some(hasStar);
  if (!expressionsIn(expression).some(isStarred)) return expression;
  const spelled = (part: Expression): Expression =>
    isStarred(part) ? histogramOf(part, relation) : mapParts(part, spelled);
  return spelled(expression);
}

/**
 * The quantile of all kinds of histogram that the columns are, of which a row has one: buckets, which may stand within
 * a function, and native histograms.
 */
function histogramOf(call: Call, relation: Relation | undefined): Expression {
  const [quantile, ...rest] = call.args;
  const [star] = rest;
  if (quantile === undefined || star === undefined) return call;
  const buckets = rest.flatMap((arg) => (hasStar(arg) ? bucketsOf(arg, relation) : [arg]));
  const classic = buckets.length === 0 ? [] : [histogramCall({ ...call, args: [quantile, ...buckets] })];
  const native = rest.length > 1 || star.kind !== 'star' ? [] : nativeCalls(call, quantile, star, relation);
  const [only, ...others] = [...native, ...classic];
  if (only === undefined) {
    const text =
      'Invalid parameter value : histogram_quantile: the name of no column is a bound, such as `0.5` or `+Inf`';
    throw refuse(Codes.functionParameterValue, text);
  }
  return others.length === 0 ? only : { ...call, name: 'COALESCE', args: [only, ...others] };
}

/** An argument once for each column whose name is a bound. */
function bucketsOf(arg: Expression, relation: Relation | undefined): readonly Expression[] {
  const star = expressionsIn(arg).find((part) => part.kind === 'star');
  const columns = starColumns(relation, star?.table, false).filter(({ name }) => boundOf(name) !== undefined);
  return columns.map(({ name, qualifier }) => {
    const replaced = (part: Expression): Expression =>
      part.kind === 'star' ? columnNamed(name, qualifier, part.span) : mapParts(part, replaced);
    return replaced(arg);
  });
}

function nativeCalls(
  call: Call,
  quantile: Expression,
  star: Extract<Expression, { kind: 'star' }>,
  relation: Relation | undefined,
): readonly Call[] {
  const columns = new Map(starColumns(relation, star.table, false).map((column) => [column.name, column]));
  const forms = [
    { name: histogramQuantile.native, names: nativeColumns, mark: 'schema' },
    { name: histogramQuantile.exponential, names: exponentialColumns, mark: 'scale' },
  ];
  // Columns that no histogram has had a value for are missing.
  return forms.flatMap(({ name, names, mark }): readonly Call[] => {
    const isHistogram = ['count', mark].every((each) => columns.has(each));
    if (!isHistogram || !(columns.has('positive_counts') || columns.has('negative_counts'))) return [];
    const args = names.map((each): Expression => {
      const own = columns.get(each);
      return own === undefined ? { kind: 'null', span: star.span } : columnNamed(own.name, own.qualifier, star.span);
    });
    return [{ ...call, name, args: [quantile, ...args] }];
  });
}

function isTime(relation: Relation | undefined, name: string): boolean {
  return relation?.byName.get(name)?.value.role === 'time';
}

function starItems(relation: Relation | undefined, table: Name | undefined, span: Span): Item[] {
  return starColumns(relation, table, true).map(({ name, qualifier }) => {
    return { value: columnNamed(name, qualifier, span), name, aliased: false };
  });
}

interface StarColumn {
  readonly name: string;
  /** Set in joins, where several tables may have the name. */
  readonly qualifier: string | undefined;
}

/**
 * The columns of `*` are those of all tables in a join, without tags; `t.*` is the same for one table with or without
 * join.
 */
function starColumns(relation: Relation | undefined, table: Name | undefined, withTags: boolean): StarColumn[] {
  if (relation === undefined) throw refuse(Codes.tableNotExist, 'Table does not exist');
  if (table !== undefined && memberNamed(relation, table.text) === undefined) {
    throw refuse(Codes.tableNotExist, `Table does not exist: ${table.text}`);
  }
  if (relation.members === undefined) {
    const shown = withTags && relation.source.kind === 'stored' && relation.source.target.kind === 'super';
    return columnsOf(relation, shown).map((name) => ({ name, qualifier: undefined }));
  }
  const members = relation.members.filter(({ qualifier, isAside }) => {
    return table === undefined ? isAside !== true : qualifier === table.text;
  });
  return members.flatMap((member) => {
    const names = columnsOf(member, withTags && table !== undefined && member.showsTags);
    return names.map((name) => ({ name, qualifier: member.qualifier }));
  });
}

function columnsOf({ columns }: Member, withTags: boolean): string[] {
  return columns.filter(({ tag }) => withTags || !tag).map(({ name }) => name);
}

function columnNamed(text: string, qualifier: string | undefined, span: Span): Expression {
  const table = qualifier === undefined ? undefined : { text: qualifier, quoted: true, span };
  return { kind: 'column', table, name: { text, quoted: true, span }, span };
}
