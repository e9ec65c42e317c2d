import test from 'ava';
import { querySettings, settingsOf } from '../../../src/sql/plan/settings.js';

const names = (settings: string): string[] => settings.split(', ').map((term) => term.replace(/ = .*/s, ''));

test('a statement asks for the settings that its words depend on', (t) => {
  const plain = settingsOf('SELECT max(t1.c1) FROM t AS t1', { emptyGivesNone: false });
  t.false(names(plain).some((name) => /^(?:join|max|optimize|transform|input)_/.test(name)));
  const joined = settingsOf('SELECT 1 FROM a AS a FINAL JOIN b ON a.id = b.id WHERE a.id IN (1)', {
    emptyGivesNone: false,
  });
  for (const name of ['join_use_nulls', 'optimize_move_to_prewhere_if_final', 'transform_null_in']) {
    t.true(names(joined).includes(name), name);
  }
});
test('a long statement asks for the limits of long ones', (t) => {
  t.true(settingsOf(`SELECT ${'1 + '.repeat(300)}1`, { emptyGivesNone: false }).includes('max_ast_depth = 10000'));
});
test('no row over no rows is a setting', (t) => {
  const setting = 'empty_result_for_aggregation_by_empty_set';
  t.true(settingsOf('SELECT max(1)', { emptyGivesNone: true }).includes(`${setting} = 1`));
  t.true(querySettings.includes(`${setting} = 0`));
});
