import { Codes } from '../../model/fault.js';
import type { Expression, Name, SelectItem, Span } from '../ast.js';
import { refuse } from '../resolve/context.js';
import type { Relation } from '../resolve/relation.js';

/** An item of the select list after `*` was spelled out; `name` is its name in the result. */
export interface Item {
  readonly value: Expression;
  readonly name: string;
  /** True when the name was given with AS. */
  readonly aliased: boolean;
}

/** Functions whose `*` stands for one call per column. */
const perColumn: ReadonlySet<string> = new Set(['FIRST', 'LAST', 'LAST_ROW']);

/** Spells out `*`, `t.*` and the stars in `last(*)` and its like. */
export function expandItems(items: readonly SelectItem[], relation: Relation | undefined): Item[] {
  return items.flatMap((item): Item[] => {
    const { value, alias, text } = item;
    if (value.kind === 'star') return starItems(relation, value.table, value.span);
    const star = value.kind === 'call' && perColumn.has(value.name) ? value.args[0] : undefined;
    if (value.kind === 'call' && star?.kind === 'star') {
      return columnNames(relation, star.table, false).map((name) => ({
        value: { ...value, args: [columnNamed(name, star.span)] },
        name: `${value.name.toLowerCase()}(${name})`,
        aliased: false,
      }));
    }
    return [{ value, name: alias?.text ?? text, aliased: alias !== undefined }];
  });
}

function starItems(relation: Relation | undefined, table: Name | undefined, span: Span): Item[] {
  const names = columnNames(relation, table, true);
  return names.map((name) => ({ value: columnNamed(name, span), name, aliased: false }));
}

function columnNames(relation: Relation | undefined, table: Name | undefined, withTags: boolean): string[] {
  if (relation === undefined) throw refuse(Codes.tableNotExist, 'Table does not exist');
  if (table !== undefined && table.text !== relation.qualifier) {
    throw refuse(Codes.tableNotExist, `Table does not exist: ${table.text}`);
  }
  const shown = withTags && relation.source.kind === 'stored' && relation.source.target.kind === 'super';
  return relation.columns.filter(({ tag }) => shown || !tag).map(({ name }) => name);
}

function columnNamed(text: string, span: Span): Expression {
  return { kind: 'column', table: undefined, name: { text, quoted: true, span }, span };
}
