import { isAggregate } from '../../functions/registry.js';
import { type ColumnExpression, mentions } from '../../resolve/expression.js';
import { columnsIn } from '../../resolve/mentioned.js';
import type { Relation, RowKey } from '../../resolve/relation.js';
import type { Expression, Select } from '../../syntax/ast.js';

/**
 * Aggregates over a window join give one row for each main row: the SELECT is grouped by what distinguishes
 * main rows, and by the columns of the main row that it names.
 */
export function groupedByMainRow(select: Select, relation: Relation | undefined): Select {
  const { groupBy, partitionBy, window } = select;
  const isGrouped = groupBy.length > 0 || partitionBy.length > 0 || window !== undefined;
  if (relation?.rowKey === undefined || isGrouped) return select;
  const values = [...select.items.map(({ value }) => value), ...select.orderBy.map(({ value }) => value)];
  if (select.having !== undefined) values.push(select.having);
  if (!values.some((value) => mentions(value, isAggregate))) return select;
  const key = rowKeyColumn(relation.rowKey, select);
  const { main } = relation.rowKey;
  const isMain = ({ table, name }: ColumnExpression): boolean => {
    const members = main.filter(({ qualifier }) => table === undefined || qualifier === table.text);
    return members.some(
      ({ byName, tbname }) => byName.has(name.text) || (tbname !== undefined && name.text === 'tbname'),
    );
  };
  const columns: Expression[] = [key, ...values.flatMap(columnsIn).filter(isMain)];
  const orderBy = [...select.orderBy, { value: key, descending: false, nulls: undefined }];
  return { ...select, orderBy, groupBy: columns.map((value) => ({ value, alias: undefined, text: '' })) };
}

function rowKeyColumn({ qualifier, name }: RowKey, { span }: Select): Expression {
  const named = (text: string) => ({ text, quoted: true, span });
  return { kind: 'column', table: named(qualifier), name: named(name), span };
}
