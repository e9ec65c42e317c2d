import { Codes } from '../../../model/fault.js';
import { column, fromQuery, join, select, sortTerm, subquery, zero } from '../../engine/build.js';
import { type Expr, Over, type SelectColumn, type SelectQuery } from '../../engine/nodes.js';
import { expr } from '../../engine/template.js';
import { ExpressionTranslator } from '../../resolve/expression.js';
import { RowNames } from '../../resolve/names.js';
import { indexColumns, type JoinMember, type Relation, type RelationColumn } from '../../resolve/relation.js';
import type { Query, SelectItem, WindowClause } from '../../syntax/ast.js';
import { refuse, refuseUnsupported } from '../../values/context.js';
import { convertTo } from '../../values/convert.js';
import { Uses, type Value } from '../../values/value.js';
import type { BlockTask, ExternalWindows } from '../rows/block.js';
import { keyExpressions } from '../rows/keys.js';
import { SlicedRows } from '../rows/sliced-rows.js';

type ExternalClause = Extract<WindowClause, { kind: 'external' }>;

/**
 * A block over the rows that lie in windows of EXTERNAL_WINDOW, both ends included: once for each window that a row is in. Where both
 * the windows and the rows are sliced, rows meet the windows of their own slice.
 */
export function inExternalWindows(task: BlockTask, clause: ExternalClause): BlockTask {
  const { relation, env, serial, items } = task;
  const { partitionBy } = task.select;
  const { query, alias } = clause;
  if (env.context.subquery === undefined || relation?.time === undefined)
    throw refuseUnsupported('EXTERNAL_WINDOW here');
  const sliced = slicedBy(query);
  if (sliced.length > 0 && partitionBy.length !== sliced.length) {
    const text = 'Windows that are sliced by PARTITION BY need as many slices of the rows';
    throw refuse(Codes.groupByWithWindow, text);
  }
  const block = env.context.subquery(withKeys(query, sliced));
  const columns = block.columns.map(({ alias, type, precision, nullable }): Value => {
    return { sql: column('b', alias), type, precision, nullable, uses: Uses.row };
  });
  const [start, end, ...others] = columns;
  if (start?.type.name !== 'TIMESTAMP' || end?.type.name !== 'TIMESTAMP') {
    throw refuse(Codes.invalidValueType, 'The first two columns of the query of EXTERNAL_WINDOW are no times');
  }
  const rows = new SlicedRows(task);
  const row = rows.relation.rowAlias;
  const count = others.length - sliced.length;
  const attributes = others.slice(0, count).map((value, at): RelationColumn => {
    const name = block.columns[at + 2]?.name ?? '';
    return { name, value: { ...value, sql: column(row, `xa${at + 1}`), uses: Uses.row, role: undefined }, tag: false };
  });
  const ticksOf = (value: Value): Expr => convertTo(value, value.type, env.precision, env).sql;
  const [from, to] = [ticksOf(start), ticksOf(end)];
  const named = select({
    columns: [
      [expr`toInt64(assumeNotNull(${from}))`, 'xs'],
      [expr`toInt64(assumeNotNull(${to}))`, 'xe'],
      ...others.map(({ sql }, at): SelectColumn => [sql, at < count ? `xa${at + 1}` : `xk${at - count + 1}`]),
    ],
    from: fromQuery(block.query, 'b'),
    where: [expr`isNotNull(${from})`, expr`isNotNull(${to})`],
  });
  const number = new Over(expr`row_number()`, { orderBy: [{ by: expr`xs` }, { by: expr`xe` }] });
  const windowQuery = select({ columns: [[expr`toInt64(${number})`, 'xn']], star: '*', from: fromQuery(named) });
  const inKeys = (): Error => refuse(Codes.functionMixed, 'A key must not contain aggregation');
  const translator = new ExpressionTranslator(env, new RowNames(rows.relation, inKeys));
  const parts = sliced.length === 0 ? [] : partitionBy;
  const keys = keyExpressions(parts, items, rows.relation).map(({ value }, at) => {
    return [column(`x${serial}`, `xk${at + 1}`), translator.translate(value)] as const;
  });
  const name = alias?.text ?? '';
  const member = { qualifier: name, columns: attributes, byName: indexColumns(attributes), time: undefined };
  const own: JoinMember = { ...member, tbname: undefined, showsTags: false, isAside: true };
  const { relation: base } = rows;
  const first: JoinMember = { ...base, qualifier: base.qualifier ?? '', showsTags: true };
  const windows: ExternalWindows = { windowQuery, keys, attributes };
  const order = [sortTerm(column(row, 'xn'), false), sortTerm(rows.time.sql, false)];
  const joined: Relation = {
    ...base,
    members: [...(base.members ?? [first]), own],
    windowEnds: { start: column(row, 'xs'), end: column(row, 'xe') },
    series: rows.series,
    source: {
      kind: 'block',
      order,
      get query() {
        return rowsInWindows(rows.relation, windows, serial);
      },
    },
  };
  return { ...task, relation: joined, filter: SlicedRows.afterScan(task.filter), external: windows };
}

/** True where a slice of windows is for a slice of rows: a condition of a join. */
function isOfSlice([window, row]: ExternalWindows['keys'][number]): Expr {
  return expr`toString(${window}) IS NOT DISTINCT FROM toString(${row.sql})`;
}

/**
 * Rows beside the windows they are in. Windows and rows meet in spans of time that are as long as the longest window, so that a
 * row is compared with the windows around it alone.
 */
function rowsInWindows(
  { source, rowAlias, time }: Relation,
  { windowQuery, keys, attributes }: ExternalWindows,
  serial: number,
): SelectQuery {
  if (source.kind !== 'block') throw new TypeError('Rows that meet windows must be those of a subquery');
  const x = `x${serial}`;
  const ticks = time?.sql ?? zero;
  const longest = expr`ifNull(greatest(max(xe - xs), 0), 0) + 1`;
  const span = subquery(select({ columns: [[longest, '']], from: fromQuery(windowQuery) }));
  const spread = select({
    columns: [[expr`arrayJoin(range(intDiv(xs, ${span}), intDiv(xe, ${span}) + 1))`, 'xb']],
    star: '*',
    from: fromQuery(windowQuery),
    where: [expr`xs <= xe`],
  });
  const meets = [expr`${column(x, 'xb')} = intDiv(assumeNotNull(${ticks}), ${span})`, ...keys.map(isOfSlice)];
  return select({
    columns: ['xn', 'xs', 'xe', ...attributes.map((_, at) => `xa${at + 1}`)].map((name) => [column(x, name), name]),
    star: rowAlias,
    from: join('INNER', fromQuery(source.query, rowAlias), fromQuery(spread, x), meets),
    where: [expr`isNotNull(${ticks})`, expr`${ticks} >= ${column(x, 'xs')}`, expr`${ticks} <= ${column(x, 'xe')}`],
  });
}

/** What the rows of a query are sliced by. */
function slicedBy(query: Query): readonly SelectItem[] {
  if (query.kind === 'union') return [];
  return [...query.partitionBy, ...query.groupBy].map((key): SelectItem => {
    const item = key.value.kind === 'integer' ? query.items[Number(key.value.value) - 1] : undefined;
    return { value: item?.value ?? key.value, alias: undefined, text: key.text };
  });
}

/** The query with what it is sliced by behind its columns. */
function withKeys(query: Query, keys: readonly SelectItem[]): Query {
  return query.kind === 'union' || keys.length === 0 ? query : { ...query, items: [...query.items, ...keys] };
}
