import type { InsertMode, SchemalessFormat } from '../../model/scenario.js';

export interface LoadInterface {
  readonly mode: InsertMode;
  readonly format: SchemalessFormat;
}

const modes: Readonly<Record<string, InsertMode>> = {
  taosc: 'taosc',
  rest: 'rest',
  stmt: 'stmt',
  stmt2: 'stmt',
  sml: 'sml',
  'sml-rest': 'sml-rest',
};

/** A path of rows by the name `-I` or `insert_mode` has for it, in any case: `stmt`, `sml-json`, `sml-rest-telnet`, …. */
export function loadInterfaceOf(text: string): LoadInterface | undefined {
  const name = text.trim().toLowerCase();
  const plain = Object.hasOwn(modes, name) ? modes[name] : undefined;
  if (plain !== undefined) return { mode: plain, format: 'line' };
  const [, mode, word = ''] = /^(sml|sml-rest)-([a-z]+)$/.exec(name) ?? [];
  const format = schemalessFormatOf(word);
  if (format === undefined) return undefined;
  return { mode: mode === 'sml' ? 'sml' : 'sml-rest', format };
}

function schemalessFormatOf(text: string): SchemalessFormat | undefined {
  const name = text.trim().toLowerCase();
  return name === 'line' || name === 'telnet' || name === 'json' || name === 'taosjson' ? name : undefined;
}
