import test from 'ava';
import { queryOf } from '../../support/sql/syntax.js';

function nameOf(item: string): string | undefined {
  const query = queryOf(`select ${item} from t`);
  return query.kind === 'select' ? query.items[0]?.text : undefined;
}

test('names a plain column by its stored name', (t) => {
  t.is(nameOf('t.TS'), 'ts');
  t.is(nameOf('`Role`'), 'Role');
  t.is(nameOf('(tbname)'), 'tbname');
  t.is(nameOf('_WSTART'), '_wstart');
});

test('names an expression by its source, folded outside quotes, blanks as written', (t) => {
  t.is(nameOf('COUNT(*)'), 'count(*)');
  t.is(nameOf('avg( Current )  AS x'), 'avg( current )');
  t.is(nameOf('Last(`Role`)'), 'last(`Role`)');
  t.is(nameOf("CONCAT('A\\'B', \"C\", D)"), "concat('A\\'B', \"C\", d)");
  t.is(nameOf("'Abc'"), "'Abc'");
  t.is(nameOf('1+1'), '1+1');
  t.is(nameOf('TODAY'), 'today');
  t.is(nameOf('(A + b) * 2'), '(a + b) * 2');
  t.is(nameOf('t.*'), '*');
});

test('cuts long names at 64 bytes between characters', (t) => {
  t.is(nameOf(`abs(${'a'.repeat(100)})`), `abs(${'a'.repeat(60)}`);
  t.is(nameOf(`'${'é'.repeat(40)}'`), `'${'é'.repeat(31)}`);
  t.is(nameOf(`'${'😀'.repeat(40)}'`), `'${'😀'.repeat(15)}`);
});
