import type { TableStyle } from '../../model/column-block.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import type { TableDef, TableLookUp } from '../../model/schema.js';
import { refusalOfMetric, type SentMetric } from '../../model/sent-name.js';

/** Why a tag cannot have its name. */
export function clash(tag: string): Fault {
  const text = `tag ${JSON.stringify(tag)} is the name of a column of another kind`;
  return fault('parameter', Codes.duplicatedColumns, text);
}

/** Why a table cannot hold rows of a style, whatever they are. */
export function refusalOf(
  { name, kind, tags, sentAs: owner }: TableDef,
  { tagType }: TableStyle,
  sentAs: SentMetric | undefined,
): Fault | undefined {
  const taken = refusalOfMetric(sentAs, name, owner);
  if (taken !== undefined) return taken;
  if (kind === 'normal') return fault('parameter', Codes.schemalessData, `table "${name}" is not a super table`);
  const hasJson = tags.some((tag) => tag.type.name === 'JSON');
  return hasJson === (tagType === 'JSON') ? undefined : otherTags(name, hasJson);
}

/** Why tags of two styles cannot be beside each other. */
export function otherTags(name: string, hasJson: boolean): Fault {
  const text = hasJson ? 'has a JSON tag, beside which there is no other' : 'has other tags than one of type JSON';
  return fault('parameter', Codes.oneJsonTag, `table "${name}" ${text}`);
}

/** Why the name of a table that is not there cannot become one, if so. */
export function refusalOfView(schema: TableLookUp, database: string, name: string): Fault | undefined {
  if (schema.view(database, name) === undefined) return undefined;
  return fault('parameter', Codes.schemalessData, `table "${name}" is a view`);
}

/** Why a point cannot be stored that leaves out the column that is part of the key of its table. */
export function keyIsMissing(table: string, name: string): Fault {
  const text = `table "${table}" has the key column "${name}", which the point leaves out`;
  return fault('parameter', Codes.keyIsMissing, text);
}
