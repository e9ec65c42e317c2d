import type {
  Duration,
  Expression,
  Fill,
  Frame,
  FrameEnd,
  FromItem,
  Limit,
  Name,
  ObjectName,
  OrderItem,
  PartitionItem,
  Query,
  Select,
  SelectItem,
  TrueFor,
  WindowClause,
  WindowLength,
} from '../../../src/sql/syntax/ast.js';

/** SQL text of an expression with brackets around every compound, so that its shape can be read and compared. */
export function printExpression(node: Expression): string {
  switch (node.kind) {
    case 'integer':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return printString(node.value);
    case 'bool':
      return node.value ? 'TRUE' : 'FALSE';
    case 'null':
      return 'NULL';
    case 'duration':
      return printDuration(node.value);
    case 'timestamp':
      return `TIMESTAMP ${printString(node.text)}`;
    case 'column':
      return `${node.table === undefined ? '' : `${printName(node.table)}.`}${printName(node.name)}`;
    case 'star':
      return node.table === undefined ? '*' : `${printName(node.table)}.*`;
    case 'call':
      return node.bare ? node.name : `${node.name}(${node.args.map(printExpression).join(', ')})`;
    case 'over': {
      const by = node.partitionBy.map(printExpression).join(', ');
      const order = node.orderBy.map(
        ({ value, descending }) => `${printExpression(value)}${descending ? ' DESC' : ''}`,
      );
      const parts = [
        by && `PARTITION BY ${by}`,
        order.length > 0 && `ORDER BY ${order.join(', ')}`,
        node.frame && printFrame(node.frame),
      ];
      return `${printExpression(node.call)} OVER (${parts.filter((part) => part).join(' ')})`;
    }
    case 'cast':
      return `CAST(${printExpression(node.value)} AS ${printType(node.type)})`;
    case 'negate':
      return `(- ${printExpression(node.value)})`;
    case 'not':
      return `(NOT ${printExpression(node.value)})`;
    case 'binary':
      return `(${printExpression(node.left)} ${node.operator} ${printExpression(node.right)})`;
    case 'between':
      return `(${printExpression(node.value)}${not(node.negated)} BETWEEN ${printExpression(node.low)} AND ${printExpression(node.high)})`;
    case 'in':
      return `(${printExpression(node.value)}${not(node.negated)} IN (${node.list.map(printExpression).join(', ')}))`;
    case 'scalar-query':
      return `(${printQuery(node.query)})`;
    case 'exists':
      return `EXISTS(${printQuery(node.query)})`;
    case 'in-query':
      return `(${printExpression(node.value)}${not(node.negated)} IN (${printQuery(node.query)}))`;
    case 'quantified':
      return `(${printExpression(node.value)} ${node.operator} ${node.every ? 'ALL' : 'ANY'} (${printQuery(node.query)}))`;
    case 'is-null':
      return `(${printExpression(node.value)} IS${not(node.negated)} NULL)`;
    case 'case':
      return printCase(node);
  }
}

/** SQL text of a query; every nested join, branch and compound expression is bracketed. */
export function printQuery(query: Query): string {
  if (query.kind === 'select') return printSelect(query);
  const all = query.all ? ' ALL' : '';
  const branches = `(${printQuery(query.left)}) UNION${all} (${printQuery(query.right)})`;
  return words([branches, printOrderBy(query.orderBy), printLimit('LIMIT', 'OFFSET', query.limit)]);
}

function printSelect(select: Select): string {
  return words([
    'SELECT',
    select.distinct && 'DISTINCT',
    select.tags && 'TAGS',
    select.scalar && 'SCALAR',
    select.items.map(printItem).join(', '),
    select.from && `FROM ${printFrom(select.from)}`,
    select.where && `WHERE ${printExpression(select.where)}`,
    select.partitionBy.length > 0 && `PARTITION BY ${select.partitionBy.map(printItem).join(', ')}`,
    select.range && printRange(select.range),
    select.window && printWindow(select.window),
    select.groupBy.length > 0 && `GROUP BY ${select.groupBy.map(printItem).join(', ')}`,
    select.having && `HAVING ${printExpression(select.having)}`,
    printOrderBy(select.orderBy),
    printLimit('SLIMIT', 'SOFFSET', select.slimit),
    printLimit('LIMIT', 'OFFSET', select.limit),
  ]);
}

function printItem(item: SelectItem | PartitionItem): string {
  const alias = item.alias === undefined ? '' : ` AS ${printName(item.alias)}`;
  return printExpression(item.value) + alias;
}

function printFrom(item: FromItem): string {
  switch (item.kind) {
    case 'table':
      return printObjectName(item.table) + printTableAlias(item.alias);
    case 'subquery':
      return `(${printQuery(item.query)})${printTableAlias(item.alias)}`;
    case 'rows': {
      const columns = item.columns.map(({ name, type }) => `${printName(name)} ${printType(type)}`).join(', ');
      const rows = item.rows.map((row) => `(${row.map(printExpression).join(', ')})`).join(' ');
      return `TEXT(${columns}) VALUES ${rows}${printTableAlias(item.alias)}`;
    }
    case 'join': {
      const joined = `${printOperand(item.left)}${printJoinWord(item.join)}${printOperand(item.right)}`;
      const offset = item.windowOffset?.map(printDuration).join(', ');
      return words([
        joined,
        item.on && `ON ${printExpression(item.on)}`,
        offset && `WINDOW_OFFSET(${offset})`,
        item.jlimit !== undefined && `JLIMIT ${item.jlimit}`,
      ]);
    }
  }
}

function printOperand(item: FromItem): string {
  return item.kind === 'join' ? `(${printFrom(item)})` : printFrom(item);
}

function printJoinWord(join: string): string {
  return join === 'comma' ? ', ' : ` ${join.toUpperCase().replace('-', ' ')} JOIN `;
}

function printWindow(window: WindowClause): string {
  switch (window.kind) {
    case 'interval': {
      const { offset } = window;
      const shift = offset === undefined ? '' : `, ${offset === 'AUTO' ? offset : printLength(offset)}`;
      const sliding = window.sliding && `SLIDING(${printLength(window.sliding)})`;
      return words([`INTERVAL(${printLength(window.length)}${shift})`, sliding, printFill(window.fill)]);
    }
    case 'session':
      return `SESSION(${printExpression(window.column)}, ${printLength(window.gap)})`;
    case 'state': {
      const extend = window.extend && `EXTEND(${printExpression(window.extend)})`;
      const zeroth = window.zeroth.map((value) => (value === undefined ? 'NO_ZEROTH' : printExpression(value)));
      return words([
        `STATE_WINDOW(${window.values.map(printExpression).join(', ')})`,
        extend ?? '',
        zeroth.length === 0 ? '' : `ZEROTH_STATE(${zeroth.join(', ')})`,
        printTrueFor(window.trueFor),
      ]);
    }
    case 'event': {
      const conditions = `START WITH ${printExpression(window.start)} END WITH ${printExpression(window.end)}`;
      return words([`EVENT_WINDOW ${conditions}`, printTrueFor(window.trueFor)]);
    }
    case 'count': {
      const sliding = window.sliding === undefined ? [] : [String(window.sliding)];
      return `COUNT_WINDOW(${[String(window.size), ...sliding, ...window.columns.map(printName)].join(', ')})`;
    }
    case 'external': {
      const listed = `(${printQuery(window.query)})${printTableAlias(window.alias)}`;
      return words([`EXTERNAL_WINDOW(${listed})`, printFill(window.fill)]);
    }
  }
}

function printRange(range: NonNullable<Select['range']>): string {
  const to = range.to === undefined ? '' : `, ${printExpression(range.to)}`;
  const every = range.every && `EVERY(${printLength(range.every)})`;
  return words([`RANGE(${printExpression(range.from)}${to})`, every, printFill(range.fill)]);
}

function printFill(fill: Fill | undefined): string | undefined {
  return fill && `FILL(${[fill.mode, ...fill.values.map(printExpression)].join(', ')})`;
}

function printTrueFor(least: TrueFor | undefined): string | undefined {
  return least && `TRUE_FOR(${printLeast(least)})`;
}

function printLeast(least: TrueFor): string {
  if ('operator' in least) return `${printLeast(least.left)} ${least.operator} ${printLeast(least.right)}`;
  return 'rows' in least ? `COUNT ${least.rows}` : printLength(least);
}

function printOrderBy(items: readonly OrderItem[]): string | undefined {
  if (items.length === 0) return undefined;
  const printed = items.map((item) =>
    words([printExpression(item.value), item.descending && 'DESC', item.nulls && `NULLS ${item.nulls.toUpperCase()}`]),
  );
  return `ORDER BY ${printed.join(', ')}`;
}

function printLimit(keyword: string, offsetKeyword: string, limit: Limit | undefined): string | undefined {
  return limit && `${keyword} ${limit.count} ${offsetKeyword} ${limit.offset}`;
}

function printFrame({ unit, from, to }: Frame): string {
  const printEnd = (end: FrameEnd): string =>
    typeof end === 'string' ? end : `${printLength(end.distance)} ${end.side}`;
  return `${unit} BETWEEN ${printEnd(from)} AND ${printEnd(to)}`;
}

function printCase(node: Extract<Expression, { kind: 'case' }>): string {
  const branches = node.branches.map((b) => `WHEN ${printExpression(b.when)} THEN ${printExpression(b.then)}`);
  const otherwise = node.otherwise && `ELSE ${printExpression(node.otherwise)}`;
  return words(['CASE', node.operand && printExpression(node.operand), ...branches, otherwise, 'END']);
}

function printType(type: { name: string; length: number | undefined; scale: number | undefined }): string {
  if (type.length === undefined) return type.name;
  return `${type.name}(${type.length}${type.scale === undefined ? '' : `,${type.scale}`})`;
}

function printObjectName(table: ObjectName): string {
  return `${table.database === undefined ? '' : `${printName(table.database)}.`}${printName(table.name)}`;
}

function printTableAlias(alias: Name | undefined): string {
  return alias === undefined ? '' : ` AS ${printName(alias)}`;
}

function printName(name: Name): string {
  return name.quoted ? `\`${name.text}\`` : name.text;
}

function printString(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function printDuration(duration: Duration): string {
  return `${duration.count}${duration.unit}`;
}

function printLength(length: WindowLength): string {
  return 'ticks' in length ? String(length.ticks) : printDuration(length);
}

function not(negated: boolean): string {
  return negated ? ' NOT' : '';
}

function words(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}
