import { parseJson } from '../text/json.js';

const ownFields: ReadonlySet<string> = new Set(['level', 'time', 'component', 'msg', 'err']);

/**
 * One line for a person from one JSON log line: local time, level, component, sentence, fields, and the stack of an
 * error below it. Control characters of foreign text are escaped, so that it can neither fake a line nor move the
 * cursor.
 */
export function readableLine(json: string): string {
  const entry = readEntry(json);
  if (entry === undefined) return json;
  const level = textOf(entry.get('level')).toUpperCase().padEnd(5);
  const component = entry.has('component') ? ` ${textOf(entry.get('component'))}:` : '';
  const fields = [...entry]
    .filter(([name]) => !ownFields.has(name))
    .map(([name, value]) => ` ${name}=${fieldText(value)}`);
  const head = `${localTime(entry.get('time'))} ${level}${component} ${textOf(entry.get('msg'))}${fields.join('')}`;
  return `${escapeControls(head)}${errorText(entry.get('err'))}\n`;
}

function readEntry(json: string): Map<string, unknown> | undefined {
  const entry = parseJson(json);
  // Other lines are passed on as they are.
  return typeof entry === 'object' && entry !== null ? new Map(Object.entries(entry)) : undefined;
}

function localTime(time: unknown): string {
  // Workers get it as every reader that is no terminal.
  const at = new Date(typeof time === 'number' || typeof time === 'string' ? time : 0);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 23).replace('T', ' ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldText(value: unknown): string {
  if (typeof value === 'string') return /^[^\s="]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return '';
  const lines = textOf(error.stack).split('\n');
  return lines.map((line) => `\n    ${escapeControls(line)}`).join('');
}

function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
