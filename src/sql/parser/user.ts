import type { Statement } from '../ast.js';
import type { Cursor } from './cursor.js';
import { parseCount, parseString } from './literals.js';
import { parseName } from './names.js';

/** `CREATE USER name PASS 'p' {option}`, from the name on. HOST addresses are joined with commas. */
export function parseCreateUser(cursor: Cursor): Statement {
  cursor.carriesSecret = true;
  const name = parseName(cursor);
  cursor.expect('PASS');
  const password = parseString(cursor);
  const options: Record<string, string> = {};
  for (;;) {
    const word = cursor.word;
    if (word !== 'SYSINFO' && word !== 'CREATEDB' && word !== 'ENABLE' && word !== 'HOST') break;
    cursor.advance();
    options[word] = word === 'HOST' ? parseHosts(cursor) : parseSwitch(cursor);
  }
  return { kind: 'create-user', name, password, options };
}

/** `ALTER USER name change`, from the name on; `change` is PASS, ENABLE, SYSINFO, CREATEDB, ADD HOST or DROP HOST. */
export function parseAlterUser(cursor: Cursor): Statement {
  cursor.carriesSecret = true;
  const name = parseName(cursor);
  const word = cursor.word;
  switch (word) {
    case 'PASS':
      cursor.advance();
      return { kind: 'alter-user', name, change: word, value: parseString(cursor) };
    case 'ENABLE':
    case 'SYSINFO':
    case 'CREATEDB':
      cursor.advance();
      return { kind: 'alter-user', name, change: word, value: parseSwitch(cursor) };
    case 'ADD':
    case 'DROP':
      cursor.advance();
      cursor.expect('HOST');
      return { kind: 'alter-user', name, change: `${word} HOST`, value: parseHosts(cursor) };
    default:
      return cursor.fail();
  }
}

function parseSwitch(cursor: Cursor): string {
  return String(parseCount(cursor));
}

function parseHosts(cursor: Cursor): string {
  const hosts = [parseString(cursor)];
  while (cursor.accept(',')) hosts.push(parseString(cursor));
  return hosts.join(',');
}
