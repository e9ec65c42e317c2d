import type { OptionRow, OptionTable } from '../model/option.js';
import { adapterOptions } from './adapter-settings.js';
import { fileKey } from './toml-file.js';
import { describeAllowed, parseValue } from './values.js';

const head = `# Settings of Sluice. Every setting is here with its default, commented out: remove the # before those that are to change.
# The command line and the environment win over this file; docs/settings.md lists their names.
# This file is generated from the option tables; \`npm run settings-page\` writes it anew.
`;

/** The file \`packaging/adapter.toml\`: every setting of the service with its default, commented out. */
export function renderSampleFile(): string {
  return `${head}${adapterOptions.map(renderTable).join('')}`;
}

function renderTable(table: OptionTable): string {
  const section = table.group === '' ? '' : `[${table.group}]\n`;
  return `\n# --- ${table.title} ---\n${section}${table.rows.map(renderRow).join('')}`;
}

function renderRow(row: OptionRow): string {
  const bounded = row.allowed !== undefined || row.min !== undefined || row.max !== undefined;
  const allowed = bounded ? ` (${describeAllowed(row)})` : '';
  return `\n# ${row.help}${allowed}\n#${fileKey(row)} = ${valueText(row)}\n`;
}

/** The default in TOML; for a setting without one, or with a secret one, an empty value of its type. */
function valueText(row: OptionRow): string {
  const text = row.type === 'secret' ? '' : (row.default ?? '');
  switch (row.type) {
    case 'bool':
      return text === '' ? 'false' : text;
    case 'int':
    case 'uint':
    case 'float':
      return text === '' ? '0' : text;
    case 'string-list':
    case 'int-list': {
      const parsed = parseValue(row, text);
      return JSON.stringify(text !== '' && parsed.ok ? parsed.value : []);
    }
    case 'tables':
      return '[]';
    default:
      return JSON.stringify(text);
  }
}
