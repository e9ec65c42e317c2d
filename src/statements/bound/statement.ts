import type { BindField, BoundColumn, BoundTable } from '../../model/bound-rows.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { noTable, refusals } from '../../model/refusals.js';
import { type ColumnDef, dataType, type Precision, type TableDef } from '../../model/schema.js';
import { Cursor } from '../../sql/insert/cursor.js';
import { badBinding } from '../../transforms/bound/bound-form.js';
import { literalOf, nameOf } from './literals.js';
import type { InsertTemplate, TextTemplate } from './template.js';

/**
 * What a statement needs to know of a table: its definition and the unit of its times; undefined where there is none.
 */
export type KnownTable = (
  name: string,
) => Promise<{ readonly table: TableDef; readonly precision: Precision } | undefined>;

/** Bound rows as a statement without them: every VALUES of `text` has the rows of one table of `rows`. */
interface WrittenRows {
  readonly text: Buffer;
  readonly rows: readonly (readonly BoundColumn[])[];
}

/** Longest names of tables, as fields show it. */
const maxNameBytes = 192;

/** A statement of which the parts that name a super table by `tbname` are as in USING. */
async function inUsingForm(template: InsertTemplate, known: KnownTable): Promise<InsertTemplate> {
  const { table, columns = [] } = template;
  const nameAt = columns.findIndex((name) => unquoted(name) === 'tbname');
  if (table === undefined || nameAt < 0) return template;
  const target = await known(table);
  if (target === undefined) throw new FaultError(noTable(unquotedName(table).name));
  const isTag = (name: string): boolean => target.table.tags.some((tag) => tag.name === unquoted(name));
  const tagNames = columns.filter(isTag);
  const others = columns.filter((name, at) => at !== nameAt && !isTag(name));
  const { database } = unquotedName(table);
  const tags = tagNames.map(() => undefined);
  const owner = database === undefined ? '' : table.slice(0, table.indexOf('.') + 1);
  return {
    kind: 'insert',
    table: undefined,
    owner,
    using: { table, tagNames, tags, options: '' },
    columns: others,
    values: others.length,
  };
}

/** The statement that writes bound rows. Throws FaultErrors where they do not fit its parameters. */
export async function writtenRows(
  template: InsertTemplate,
  tables: readonly BoundTable[],
  known: KnownTable,
): Promise<WrittenRows> {
  const form = await inUsingForm(template, known);
  const clauses = tables.map((table) => clauseOf(form, table));
  return { text: Buffer.from(`INSERT INTO ${clauses.join(' ')}`), rows: tables.map(({ columns }) => columns) };
}

function clauseOf({ table, owner, using, columns, values }: InsertTemplate, bound: BoundTable): string {
  if (bound.columns.length !== values) {
    throw badBinding(`the statement has ${values} parameters for columns, and ${bound.columns.length} are bound`);
  }
  if (table === undefined && bound.name === undefined) throw badBinding('the name of the table is not bound');
  const name = table ?? `${owner}${nameOf(bound.name ?? '')}`;
  const list = columns === undefined ? '' : `(${columns.join(', ')}) `;
  if (using === undefined) return `${name} ${list}VALUES`;
  const boundTags = using.tags.filter((tag) => tag === undefined).length;
  // Rows of a sub-table that exists may come without its tags.
  if (boundTags > 0 && bound.tags.length === 0) return `${name} ${list}VALUES`;
  if (bound.tags.length !== boundTags) {
    throw badBinding(`the statement has ${boundTags} parameters for tags, and ${bound.tags.length} are bound`);
  }
  let next = 0;
  const tags = using.tags.map((tag) => tag ?? literalOf(bound.tags[next++]!));
  const names = using.tagNames === undefined ? '' : `(${using.tagNames.join(', ')}) `;
  return `${name} USING ${using.table} ${names}TAGS (${tags.join(', ')}) ${using.options} ${list}VALUES`;
}

/** The statement with bound values in place of its parameters. */
export function writtenText({ pieces }: TextTemplate, tables: readonly BoundTable[]): Buffer {
  const [{ columns } = { columns: [] as readonly BoundColumn[] }] = tables;
  if (columns.length !== pieces.length - 1) {
    throw badBinding(`the statement has ${pieces.length - 1} parameters, and ${columns.length} are bound`);
  }
  const parts = pieces.map((piece, at) => (at === 0 ? piece : `${literalOf(columns[at - 1]!)}${piece}`));
  return Buffer.from(parts.join(''));
}

/**
 * What the parameters of an INSERT stand for, in their order; undefined where the table is not known before its name is
 * bound. `named` is that name.
 */
export async function fieldsOf(
  template: InsertTemplate,
  named: string | undefined,
  known: KnownTable,
): Promise<readonly BindField[] | undefined> {
  const form = await inUsingForm(template, known);
  const { using, columns, values } = form;
  const written = using?.table ?? form.table ?? (named === undefined ? undefined : `${form.owner}${nameOf(named)}`);
  if (written === undefined) return undefined;
  const target = await known(written);
  if (target === undefined) throw new FaultError(noTable(unquotedName(written).name));
  const { table, precision } = target;
  const time = { name: table.timeColumn, type: dataType('TIMESTAMP') };
  const all = [time, ...table.columns];
  const listed = columns?.map((name) => namedColumn(all, name)) ?? all;
  if (listed.length !== values) throw new FaultError(refusals.illegalColumnCount);
  const tags = using?.tagNames?.map((name) => namedColumn(table.tags, name)) ?? (using === undefined ? [] : table.tags);
  if (using !== undefined && tags.length !== using.tags.length) throw new FaultError(refusals.tagsNotMatched);
  const name: BindField = { name: 'tbname', type: dataType('VARCHAR', maxNameBytes), precision, bind: 'table' };
  const fieldOf =
    (bind: BindField['bind']) =>
    (column: Pick<ColumnDef, 'name' | 'type'>): BindField => ({
      name: column.name,
      type: column.type,
      precision,
      bind,
    });
  const boundTags = tags.filter((_, at) => using?.tags[at] === undefined);
  const fields = [...boundTags.map(fieldOf('tag')), ...listed.map(fieldOf('column'))];
  if (form !== template) return inWrittenOrder(template, [name, ...fields]);
  return template.table === undefined ? [name, ...fields] : fields;
}

/** The fields in the order of the names of the statement. */
function inWrittenOrder({ columns = [] }: InsertTemplate, fields: readonly BindField[]): readonly BindField[] {
  return columns.flatMap((name) => fields.filter((field) => field.name === unquoted(name)));
}

function namedColumn<C extends Pick<ColumnDef, 'name' | 'type'>>(columns: readonly C[], name: string): C {
  const column = columns.find((each) => each.name === unquoted(name));
  if (column !== undefined) return column;
  throw new FaultError(fault('syntax', Codes.invalidColumnName, `Invalid column name: ${unquoted(name)}`));
}

function unquoted(name: string): string {
  return new Cursor(Buffer.from(name)).readName('a name is expected').text;
}

/** The parts of a written name. */
export function unquotedName(written: string): { readonly database: string | undefined; readonly name: string } {
  const { database, name } = new Cursor(Buffer.from(written)).readObjectName();
  return { database: database?.text, name: name.text };
}
