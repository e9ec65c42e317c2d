import type { Fault } from '../../model/fault.js';
import { type ColumnDef, sentName } from '../../model/schema.js';
import { refusalOfAttribute } from '../../model/sent-name.js';

const none: ReadonlyMap<string, string> = new Map();

/**
 * The attributes of a table's tags, by the names under which tags are sent: those tags that other attributes could
 * have, too.
 */
export class TagAttributes {
  #byTag = new Map<string, string>();

  /** Takes over the tags of a definition. Where it has no attribute of a tag, the first one that came here has it. */
  define(tags: readonly ColumnDef[]): void {
    const before = this.#byTag;
    this.#byTag = new Map();
    for (const tag of tags) {
      const name = sentName(tag);
      const attribute = tag.attribute ?? before.get(name);
      if (attribute !== undefined) this.#byTag.set(name, attribute);
    }
  }

  /** Why tags cannot hold these attributes, if so. */
  refusalOf(attributes: ReadonlyMap<string, string> = none): Fault | undefined {
    for (const [tag, attribute] of attributes) {
      const taken = refusalOfAttribute(attribute, tag, this.#byTag.get(tag));
      if (taken !== undefined) return taken;
    }
    return undefined;
  }

  /** Notes the attributes of a series of the table. */
  add(attributes: ReadonlyMap<string, string>): void {
    for (const [tag, attribute] of attributes) this.#byTag.set(tag, attribute);
  }
}
