import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, quoted, shapeOf } from '../../support/sql/syntax.js';

const nameOf = (text: string) => {
  const statement = parseStatement(`describe ${text}`);
  return statement.kind === 'describe' ? shapeOf(statement.table) : undefined;
};

test('folds bare names and keeps quoted ones', (t) => {
  t.deepEqual(nameOf('Power.D1001'), { database: bare('power'), name: bare('d1001') });
  t.deepEqual(nameOf('`Pow er`.`D-1 é`'), { database: quoted('Pow er'), name: quoted('D-1 é') });
  t.deepEqual(nameOf('d . t'), { database: bare('d'), name: bare('t') });
});

test('a back quote in a name is doubled, and control characters may stand in back quotes', (t) => {
  t.deepEqual(nameOf('`a``b`.```c\n\t\u0001`'), { database: quoted('a`b'), name: quoted('`c\n\t\u0001') });
  t.deepEqual(nameOf(`\`${'``'.repeat(192)}\``), { database: undefined, name: quoted('`'.repeat(192)) });
});

test('takes reserved words as names except the strict ones', (t) => {
  for (const word of ['status', 'value', 'desc', 'timestamp', 'user', 'first', 'interval_', 'join', 'state']) {
    t.deepEqual(nameOf(word), { database: undefined, name: bare(word) });
  }
  const strict =
    'select from where group order partition interval fill limit slimit tags using values into and or not case when then else end';
  for (const word of strict.split(' ')) t.is(faultOf(`describe ${word}`).code, 0x2600, word);
});

test('refuses empty and overlong names with their own code', (t) => {
  const cases: Record<string, string> = {
    'describe ``': '',
    'select `` from t': '',
    "select a as ''": '',
    [`describe ${'a'.repeat(193)}`]: 'a'.repeat(193),
    [`describe \`${'é'.repeat(97)}\``]: 'é'.repeat(97),
    [`describe ${'d'.repeat(65)}.t`]: 'd'.repeat(65),
    [`create table t (ts timestamp, ${'c'.repeat(193)} int)`]: 'c'.repeat(193),
    [`create database ${'d'.repeat(65)}`]: 'd'.repeat(65),
    'describe `a.b`': 'a.b',
  };
  for (const [source, name] of Object.entries(cases)) {
    t.like(faultOf(source), { code: 0x2617, message: `Invalid identifier name: ${name}` }, source);
  }
  for (const verb of ['create', 'drop']) t.notThrows(() => parseStatement(`${verb} database \`a.b\``));
  t.notThrows(() => nameOf(`${'d'.repeat(64)}.${'t'.repeat(192)}`));
});
