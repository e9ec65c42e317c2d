import test from 'ava';

interface VariablesModule {
  readonly withVariables: (query: string, language: 'sql' | 'promql', values: ReadonlyMap<string, string>) => string;
  readonly wrongName: (name: string, others: readonly string[]) => string | undefined;
}

const { withVariables, wrongName }: VariablesModule = await import(
  new URL('../../../page/variables.js', import.meta.url).href
);

/** A variable in braces. */
const braced = ['$', '{v}'].join('');

/** A query with one value in place of `$v`. */
function filled(query: string, value: string, language: 'sql' | 'promql' = 'sql'): string {
  return withVariables(query, language, new Map([['v', value]]));
}

test('a variable is a text, within quotes a part of one, and stays out of comments', (t) => {
  t.is(filled('SELECT * FROM t WHERE host = $v', "o'b\\"), "SELECT * FROM t WHERE host = 'o''b\\\\'");
  t.is(filled("WHERE host LIKE '%$v%'", "o'b\\"), "WHERE host LIKE '%o''b\\\\%'");
  t.is(filled('WHERE host = "$v"', 'a"b'), 'WHERE host = "a""b"');
  t.is(filled('SELECT `$v` FROM t', 'a`b'), 'SELECT `a``b` FROM t');
  t.is(filled('SELECT 1 -- $v\n/* $v */', 'x'), 'SELECT 1 -- $v\n/* $v */');
  t.is(filled("SELECT $other, '$other', $vv", 'x'), "SELECT $other, '$other', $vv");
  t.is(filled(`$v '${braced}s'`, '$v'), "'$v' '$vs'");
});

test('in PromQL a variable is a text with the escapes of its quotes', (t) => {
  t.is(filled('up{host=$v}', 'a"b\\\n', 'promql'), 'up{host="a\\"b\\\\\\n"}');
  t.is(filled('up{host=~"$v.*"}', 'a"b\'', 'promql'), 'up{host=~"a\\"b\'.*"}');
  t.is(filled("up{host=~'$v.*'}", 'a"b\'', 'promql'), "up{host=~'a\"b\\'.*'}");
  t.is(filled('up{host=~`$v`}', 'a"b', 'promql'), 'up{host=~`a"b`}');
  t.throws(() => filled('up{host=~`$v`}', 'a`b', 'promql'), { message: /variable v has a back-quote/ });
  t.is(filled('label_replace(up, "a", "$1", "b", "(.*)") # $v', 'x', 'promql').slice(-4), '# $v');
  t.true(filled('label_replace(up, "a", "$1", "b", "(.*)")', 'x', 'promql').includes('"$1"'));
});

test('a variable in braces is a number or a duration, and nothing else', (t) => {
  for (const value of ['10', '1.5', '5m', '1h30m', '10a']) t.is(filled(`LIMIT ${braced}`, value), `LIMIT ${value}`);
  t.is(filled(`SELECT 1-${braced}`, '-5'), 'SELECT 1- -5');
  for (const value of ['', 'x', '1;DROP', '1 OR 1', '--', '5m)', "'", '1e3', 'm']) {
    t.throws(
      () => filled(`LIMIT ${braced}`, value),
      { message: /variable v must be a number or a duration, not/ },
      value,
    );
  }
});

test('names of variables are words that mean nothing else', (t) => {
  t.is(wrongName('host_2', ['host']), undefined);
  for (const name of ['', '2a', 'a b', 'from', 'to', 'host']) t.is(typeof wrongName(name, ['host']), 'string', name);
});
