import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The repository. */
export const repository = join(import.meta.dirname, '../../../..');

/** Every page of documents, by its path in the repository. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...listed('docs'),
  ...listed('docs/decisions'),
  ...readdirSync(join(repository, 'src/sources'))
    .map((name) => `src/sources/${name}/README.md`)
    .filter((path) => existsSync(join(repository, path))),
];

function listed(folder: string): string[] {
  const names = readdirSync(join(repository, folder)).filter((name) => name.endsWith('.md'));
  return names.toSorted().map((name) => `${folder}/${name}`);
}

/** Pages that every run of the tests goes through: what newcomers read first. What is shown elsewhere takes long. */
export const firstPages: ReadonlySet<string> = new Set(['README.md', 'docs/data-model.md', 'docs/sql.md']);

/** A fenced block of a page. */
export interface Block {
  /** Page and line, for messages. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  /** The comment directly above the block, without its brackets. */
  readonly mark: string | undefined;
  /** What stands directly below a block of commands as that which comes: rows or an answer as JSON, or text. */
  readonly shown: { readonly language: 'json' | 'text'; readonly text: string } | undefined;
  /** The database of SQL statements that name none; the page says it in a comment `database: name`. */
  readonly database: string | undefined;
}

/** Text of a page. */
export function textOf(page: string): string {
  return readFileSync(join(repository, page), 'utf8');
}

const commands = new Set(['sh', 'sql', 'js', 'python']);
const results = new Set(['json', 'text']);

/** The fenced blocks of a page in their order. What a command shows belongs to the command and is no block of its own. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const lines = textOf(page).split('\n');
  let mark: string | undefined;
  let database: string | undefined;
  /** The block of commands above, with nothing but empty lines since. */
  let above: Block | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = /^(`{3,})(\w*)$/.exec(line);
    const comment = /^<!-- (.*) -->$/.exec(line)?.[1];
    if (comment !== undefined) {
      mark = comment;
      if (comment.startsWith('database: ')) database = comment.slice('database: '.length);
    } else if (fence !== null) {
      const [, ticks = '', language = ''] = fence;
      const end = lines.indexOf(ticks, at + 1);
      if (end < 0) throw new Error(`${page}:${at + 1}: the block does not end.`);
      const text = lines.slice(at + 1, end).join('\n');
      const isResult = above !== undefined && mark === undefined && results.has(language);
      if (isResult) blocks[blocks.length - 1] = { ...above!, shown: { language: language as 'json' | 'text', text } };
      else blocks.push({ place: `${page}:${at + 1}`, language, text, mark, shown: undefined, database });
      above = isResult || !commands.has(language) ? undefined : blocks.at(-1);
      mark = undefined;
      at = end;
    } else if (line.trim() !== '') {
      mark = undefined;
      above = undefined;
    }
  }
  return blocks;
}

/** Whether a block is run or read by the tests of documents; a mark above it says why it is not, or what else tests it. */
export function runs({ language, mark = '' }: Block): boolean {
  const isKnown = commands.has(language) || language === 'json' || language === 'toml';
  return isKnown && !mark.startsWith('not run: ') && !mark.startsWith('tested: ');
}

/** The statements of a block of SQL, which semicolons at ends of lines part. */
export function statementsIn(block: string): string[] {
  return block.split(/;\s*(?:--[^\n]*)?(?:\n|$)/).filter((statement) => statement.trim() !== '');
}

/** Whether a value is as the page shows it, where the text `…` stands for anything, also within a text. */
export function isAsShown(value: unknown, shown: unknown): boolean {
  if (typeof shown === 'string' && typeof value === 'string') return isText(value, shown);
  if (shown === '…') return true;
  if (shown === null || value === null || typeof shown !== 'object' || typeof value !== 'object')
    return value === shown;
  const keys = Object.keys(shown);
  if (Array.isArray(shown) !== Array.isArray(value) || keys.length !== Object.keys(value).length) return false;
  const of = (holder: object, key: string): unknown => Reflect.get(holder, key);
  return keys.every((key) => isAsShown(of(value, key), of(shown, key)));
}

/** Whether a text is as the page shows it; `…` stands for any text. */
export function isText(text: string, shown: string): boolean {
  const parts = shown
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(text.trim());
}
