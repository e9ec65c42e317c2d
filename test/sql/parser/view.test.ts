import test from 'ava';
import { Codes, FaultError } from '../../../src/model/fault.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';

test('CREATE VIEW keeps the text of its query', (t) => {
  const statement = parseStatement('create or replace view d.v as select  1 ;');
  t.is(statement.kind, 'create-view');
  if (statement.kind !== 'create-view') return;
  t.is(statement.text, 'select  1');
  t.true(statement.orReplace);
  t.is(statement.view.database?.text, 'd');
  t.is(statement.view.name.text, 'v');
});

test('DROP VIEW may ask for nothing when there is none', (t) => {
  const statement = parseStatement('DROP VIEW IF EXISTS `V`');
  t.true(statement.kind === 'drop-view' && statement.ifExists && statement.view.name.text === 'V');
});

test('a view is made of a query alone', (t) => {
  for (const [text, code] of [
    ['CREATE VIEW v AS DELETE FROM t', Codes.syntaxError],
    ['CREATE VIEW v SELECT 1', Codes.syntaxError],
    ['CREATE OR REPLACE VIEW', Codes.incompleteStatement],
    ['DROP VIEW', Codes.incompleteStatement],
  ] as const) {
    const error = t.throws(() => parseStatement(text), { instanceOf: FaultError }, text);
    t.is(error?.fault.code, code, text);
  }
});
