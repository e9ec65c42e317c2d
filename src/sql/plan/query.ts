import type { ColumnMeta } from '../../model/exchange.js';
import { Codes } from '../../model/fault.js';
import type { Precision, TypeName } from '../../model/schema.js';
import { column, fromQuery, nullWord, select } from '../engine/build.js';
import type { SelectColumn, SelectQuery } from '../engine/nodes.js';
import { printQuery } from '../engine/print.js';
import { type StatementTraits, settingsOf } from '../engine/settings.js';
import { shapeOf } from '../engine/shape.js';
import { ExpressionTranslator } from '../resolve/expression.js';
import { RowNames } from '../resolve/names.js';
import { blockRelation, namedTable, type Relation, rowOrderOf, storedRelation } from '../resolve/relation.js';
import type { FromItem, Query, Select, Union } from '../syntax/ast.js';
import {
  collectTables,
  findSystemTable,
  findTable,
  type QueryContext,
  refuse,
  type TableTarget,
} from '../values/context.js';
import { commonType, convertTo, type Environment } from '../values/convert.js';
import { type BlockColumn, printResult, resultPrecision } from '../values/result.js';
import { nullValue, Uses, type Value } from '../values/value.js';
import { joinRelation } from './join/join.js';
import { groupedByMainRow } from './join/join-groups.js';
import type { RelationReader } from './join/join-tree.js';
import type { PlannedBlock } from './rows/block.js';
import { inlineRows } from './rows/inline-rows.js';
import { orderTerms, rowRange } from './rows/ordering.js';
import { planSelect } from './select.js';

/** A statement for the engine and what its columns are. */
export interface QueryPlan {
  /** The query without SETTINGS and FORMAT. */
  readonly sql: string;
  /** What has to stand after SETTINGS; may be empty. */
  readonly settings: string;
  /** The engine tables that it reads; undefined if its result may change while none of them does. */
  readonly tables: readonly string[] | undefined;
  readonly meta: readonly ColumnMeta[];
  /** See {@link SqlAnswer}. */
  readonly precision: Precision;
  /** The series that it reads; undefined when it reads other rows, too. */
  readonly series?: readonly ReadSeries[] | undefined;
  /** True when it does not depend on the current time. */
  readonly isTimeless: boolean;
}

/** A series by the names of its database and of its super table. */
export interface ReadSeries {
  readonly database: string;
  readonly table: string;
  readonly id: bigint;
}

type Series = Extract<TableTarget, { kind: 'sub' }>;

/**
 * Translates a query of the dialect into one statement of the engine, whose rows, printed in the format of
 * their form under its settings, are what clients see. FaultError with the dialect's code
 * when names, types or clauses break its rules, 0x0100 for what is not available.
 */
export function planQuery(query: Query, context: QueryContext): QueryPlan {
  let usesNow = false;
  const nowNanos = (): bigint => {
    usesNow = true;
    return context.nowNanos();
  };
  const planned = new Planner({ ...context, nowNanos }).plan(query);
  const precision = resultPrecision(planned.columns);
  const form = { precision, zone: context.outputZone, form: context.form, rowLimit: context.rowLimit };
  const block = withoutEmptyCheck(planned);
  const result = printResult(block ?? planned, form);
  const [sql, shape] = [printQuery(result), shapeOf(result)];
  const series = singleSeries(query, context);
  const gives = (...names: TypeName[]): boolean => planned.columns.some(({ type }) => names.includes(type.name));
  const readsShortSeries =
    series !== undefined && series.length > 0 && series.every(({ table }) => context.hasShortSeries?.(table));
  const isOneGroup = planned.select?.isOneGroup === true;
  const allowsOldAnalyzer =
    planned.select?.from?.kind === 'table' &&
    shape.selects === 1 &&
    (isOneGroup || (readsShortSeries && !shape.looksAround));
  const traits: StatementTraits = {
    emptyGivesNone: block !== undefined,
    givesTexts: form.form === 'objects' || gives('VARCHAR', 'NCHAR', 'JSON'),
    givesDecimals: gives('DECIMAL'),
    readsShortSeries,
    allowsOldAnalyzer,
  };
  return {
    sql,
    settings: settingsOf(sql, shape, traits),
    tables: shape.tables,
    meta: planned.columns.map(({ name, type, role }) => {
      return role === 'null' && type === nullValue.type ? { name, type, isNull: true } : { name, type };
    }),
    precision,
    series: series?.map(({ table: { database, name }, id }) => ({ database, table: name, id })),
    isTimeless: !usesNow,
  };
}

/** The series that a query reads; undefined where it reads others than single ones. */
function singleSeries(query: Query, context: QueryContext): readonly Series[] | undefined {
  const series: Series[] = [];
  for (const { database = context.database, name } of collectTables(query)) {
    const target = database === undefined ? undefined : context.resolveTable(database, name);
    if (target?.kind !== 'sub') return undefined;
    series.push(target);
  }
  return series;
}

/**
 * The same block for the engine setting by which aggregates over no rows give no row, which costs less than a
 * condition; undefined when the setting would change the meaning of other SELECTs of the statement.
 */
function withoutEmptyCheck({ query, columns, select }: PlannedBlock): PlannedBlock | undefined {
  if (select?.hidesEmpty !== true) return undefined;
  const { selects, idSets } = shapeOf(query);
  if (selects - Math.min(idSets, 1) !== 1) return undefined;
  const unchecked = { ...select, hidesEmpty: false };
  return { query: unchecked, columns, select: unchecked };
}

/** How many times the engine may look at a query: some tens of milliseconds for a query of few columns. */
const maxLooks = 4096;

/** Levels of FROM with a UNION inside of each other: the time of the engine grows with the cube of these. */
const maxUnionDepth = 32;

function tooDeep(what: string): Error {
  return refuse(Codes.statementTooLong, `SQL statement too long: ${what} are nested too deeply`);
}

/** Plans the blocks of one statement. */
export class Planner implements RelationReader {
  readonly context: QueryContext;
  #serial = 0;
  /** How many times the engine looks at the query that is planned now. */
  #looks = 1;
  #unionDepth = 0;

  constructor(context: QueryContext) {
    this.context = { ...context, subquery: (query, looks = 1) => this.#nested(query, looks) };
  }

  /** A query in an expression. Each time that the engine looks at it, it looks at the queries inside as often as they need. */
  #nested(query: Query, looks: number): PlannedBlock {
    const before = this.#looks;
    this.#looks *= looks;
    try {
      if (this.#looks > maxLooks) throw tooDeep('queries in conditions');
      return this.plan(query);
    } finally {
      this.#looks = before;
    }
  }

  plan(query: Query): PlannedBlock {
    return query.kind === 'union' ? this.#union(query) : this.#select(query);
  }

  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  #select(select: Select): PlannedBlock {
    const relation = select.from === undefined ? undefined : this.#relation(select.from, select);
    return planSelect(groupedByMainRow(select, relation), relation, this.context, this.nextSerial());
  }

  #relation(from: FromItem, select: Select): Relation {
    if (from.kind === 'join') return joinRelation(from, select, this);
    return this.read(from, from.alias?.text ?? (from.kind === 'table' ? from.table.name.text : undefined));
  }

  read(from: Exclude<FromItem, { kind: 'join' }>, qualifier: string | undefined): Relation {
    if (from.kind === 'subquery') {
      const unions = from.query.kind === 'union' ? 1 : 0;
      this.#unionDepth += unions;
      if (this.#unionDepth > maxUnionDepth) throw tooDeep('queries with UNION');
      const { query, columns } = this.plan(from.query);
      this.#unionDepth -= unions;
      const relation = blockRelation(query, columns, qualifier, this.nextSerial());
      return { ...relation, rowOrder: rowOrderOf(from.query.orderBy, relation) };
    }
    if (from.kind === 'rows') return inlineRows(from, this.context, qualifier, this.nextSerial());
    const system = findSystemTable(from.table, this.context);
    if (system !== undefined) {
      const { name } = from.table;
      const relation = blockRelation(system.query, system.columns, qualifier ?? name.text, this.nextSerial());
      return { ...relation, tbname: namedTable(name.text, relation.precision) };
    }
    const { target, precision } = findTable(from.table, this.context);
    return storedRelation(target, precision, qualifier ?? from.table.name.text, this.nextSerial());
  }

  #union(union: Union): PlannedBlock {
    const blocks = branchesOf(union).map((branch) => this.plan(branch));
    const columns = blocks.map((block) => block.columns).reduce(commonColumns);
    const env = { context: this.context, precision: columns[0]?.precision ?? 'ms' } as const;
    const branches = blocks.map((block) => convertedBlock(block, columns, env));
    return this.#ordered({ query: { union: branches, distinct: !union.all }, columns }, union, env);
  }

  /** ORDER BY and LIMIT behind the last branch of a union apply to the whole. */
  #ordered(block: PlannedBlock, union: Union, env: Environment): PlannedBlock {
    const limit = rowRange(union.limit);
    if (union.orderBy.length === 0 && limit === undefined) return block;
    const relation = blockRelation(block.query, block.columns, undefined, this.nextSerial());
    const notAllowed = (): Error => refuse(Codes.notSelectedExpression, 'Not SELECTed expression');
    const translator = new ExpressionTranslator(env, new RowNames(relation, notAllowed));
    const planned = relation.columns.map(({ value }, at) => ({ alias: block.columns[at]?.alias ?? '', value }));
    const items = block.columns.map(({ name }, at) => {
      const text = { text: name, quoted: true, span: union.span };
      const value = { kind: 'column', table: undefined, name: text, span: union.span } as const;
      return { value, name, aliased: at >= 0 };
    });
    const orderBy = orderTerms(union.orderBy, items, planned, false, ({ value }) => translator.translate(value));
    const columns = relation.columns.map(({ value }, at): SelectColumn => [value.sql, planned[at]?.alias ?? '']);
    const query = select({ columns, from: fromQuery(block.query, relation.rowAlias), orderBy, limit });
    return { query, columns: block.columns };
  }
}

/** A column of a block whose rows have an alias, or none. */
function columnValue({ alias, type, precision, nullable, role }: BlockColumn, table?: string): Value {
  return { sql: column(table, alias), type, precision, nullable, uses: Uses.row, role };
}

/**
 * The branches of a union as one list: those of a union inside are among them where it has no order and limit of its own,
 * and the outer one keeps its duplicates, or removes them anyway.
 */
function branchesOf(union: Union): readonly Query[] {
  return [union.left, union.right].flatMap((side) => {
    if (side.kind !== 'union' || side.orderBy.length > 0 || side.limit !== undefined) return [side];
    return union.all && !side.all ? [side] : branchesOf(side);
  });
}

/** The columns of two branches as those of their union; error when one has more than the other. */
function commonColumns(left: readonly BlockColumn[], right: readonly BlockColumn[]): readonly BlockColumn[] {
  if (left.length !== right.length) {
    throw refuse(Codes.unionColumnCount, 'Query block has incorrect number of result columns');
  }
  return left.map((column, at) => commonColumn(column, right[at] ?? column));
}

function commonColumn(left: BlockColumn, right: BlockColumn): BlockColumn {
  const { type, precision } = commonType([columnValue(left), columnValue(right)]);
  const role = left.role === right.role ? left.role : undefined;
  return { ...left, type, precision, nullable: true, exact: false, role };
}

function convertedBlock(block: PlannedBlock, columns: readonly BlockColumn[], env: Environment): SelectQuery {
  const converted = columns.map(({ alias, type, precision }, at): SelectColumn => {
    const own = block.columns[at];
    if (own === undefined) return [nullWord, alias];
    return [convertTo(columnValue(own, 'b'), type, precision, env).sql, alias];
  });
  return select({ columns: converted, from: fromQuery(block.query, 'b') });
}
