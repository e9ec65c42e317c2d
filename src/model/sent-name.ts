import { Codes, type Fault, fault } from './fault.js';

/**
 * A rule by which the name of a metric or measurement becomes that of a table: dots to underscores, or an underscore
 * for all between the words of a name.
 */
type NamingRule = 'dots' | 'words';

/**
 * A metric's name as it was sent, with the rule that makes a table's name of it. One text, because catalogues hold very
 * many.
 */
export type SentMetric = `${NamingRule} ${string}`;

/** The name as it was sent. */
function nameOfMetric(sent: SentMetric): string {
  return sent.slice(sent.indexOf(' ') + 1);
}

/**
 * True when one rule makes the same name of two different ones. Names of two rules are the same metric where they
 * become the same.
 */
export function isOtherMetric(sent: SentMetric | undefined, owner: SentMetric | undefined): boolean {
  if (sent === undefined || owner === undefined || sent === owner) return false;
  return sent.slice(0, sent.indexOf(' ')) === owner.slice(0, owner.indexOf(' '));
}

/** Why a metric cannot have its table, if so: another one has made it, whose name becomes the same. */
export function refusalOfMetric(
  sent: SentMetric | undefined,
  table: string,
  owner: SentMetric | undefined,
): Fault | undefined {
  if (sent === undefined || owner === undefined || !isOtherMetric(sent, owner)) return undefined;
  const [name, other] = [nameOfMetric(sent), nameOfMetric(owner)].map((text) => JSON.stringify(text));
  const text = `metric ${name} cannot be stored in table "${table}", which holds metric ${other}; rename one of them`;
  return fault('parameter', Codes.schemalessData, text);
}

/**
 * The name of a column or tag that arrives as `sent`: with a prefix, once or as often as it takes, where the table has
 * another one of that name.
 */
export function freeName(prefix: 'field_' | 'tag_', sent: string, isTaken: (name: string) => boolean): string {
  let name = sent;
  while (isTaken(name)) name = `${prefix}${name}`;
  return name;
}

/** Why a tag cannot hold an attribute, if so: another one has made it, whose name becomes the same. */
export function refusalOfAttribute(
  attribute: string | undefined,
  tag: string,
  owner: string | undefined,
): Fault | undefined {
  if (attribute === undefined || owner === undefined || attribute === owner) return undefined;
  const [name, other] = [attribute, owner].map((text) => JSON.stringify(text));
  const text = `attribute ${name} cannot be stored in tag "${tag}", which holds attribute ${other}; rename one of them`;
  return fault('parameter', Codes.schemalessData, text);
}

/** Longest name of a column or tag in UTF-8, in bytes: the engine itself never sees it. */
export const maxColumnNameBytes = 192;

/** Why a name that got a prefix cannot be one. */
export function longName(kind: 'field' | 'tag', name: string): Fault {
  const text = `${kind} name ${JSON.stringify(name)}, which it gets beside another column of its name, is too long`;
  return fault('parameter', Codes.schemalessData, text);
}
