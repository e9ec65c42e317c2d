import test from 'ava';
import { treeOf } from '../../../src/promql/language/json.js';
import { parseQuery, parseSelector } from '../../../src/promql/language/parse.js';
import { formatQuery } from '../../../src/promql/language/print.js';
import { QueryError } from '../../../src/promql/query-error.js';

/** The query as it is printed. */
function printed(query: string): string {
  return formatQuery(parseQuery(query));
}

/** Operators and operands of a query with parentheses around each operation. */
function grouped(query: string): string {
  const text = (tree: ReturnType<typeof treeOf>): string => {
    const node = tree as Record<string, ReturnType<typeof treeOf>>;
    const tail = node.offset === 0 || node.offset === undefined ? '' : ` offset ${node.offset}`;
    switch (node.type) {
      case 'binaryExpr':
        return `(${text(node.lhs!)} ${node.op} ${text(node.rhs!)})`;
      case 'unaryExpr':
        return `(${node.op}${text(node.expr!)})`;
      case 'parenExpr':
        return text(node.expr!);
      case 'subquery':
        return `${text(node.expr!)}[:]`;
      case 'numberLiteral':
        return String(node.val);
      default:
        return `${node.name}${tail}`;
    }
  };
  return text(treeOf(parseQuery(query)));
}

test('operators bind as in Prometheus', (t) => {
  t.is(grouped('a or b and c == d + e * f ^ g'), '(a or (b and (c == (d + (e * (f ^ g))))))');
  t.is(grouped('a - b - c'), '((a - b) - c)');
  t.is(grouped('a ^ b ^ c'), '(a ^ (b ^ c))');
  t.is(grouped('a atan2 b % c'), '((a atan2 b) % c)');
  t.is(grouped('a unless b or c'), '((a unless b) or c)');
  t.is(grouped('(a + b) * c'), '((a + b) * c)');
});

test('a sign binds as multiplication does', (t) => {
  t.is(grouped('-a ^ b'), '(-(a ^ b))');
  t.is(grouped('-a * b'), '((-a) * b)');
  t.is(grouped('a ^ -b * c'), '((a ^ (-b)) * c)');
  t.is(grouped('-1 ^ 2'), '(-(1 ^ 2))');
  t.is(grouped('1 - -1'), '(1 - -1)');
});

test('modifiers belong to the operand before them alone', (t) => {
  t.is(grouped('a + b offset 5m'), '(a + b offset 300000)');
  t.is(grouped('a + b offset 5m * c'), '(a + (b offset 300000 * c))');
  t.is(grouped('-a offset 5m'), '(-a offset 300000)');
  t.is(grouped('a * b offset 1h'), '(a * b offset 3600000)');
  t.is(printed('sum_over_time((a + b)[5m:1m] @ 100 offset -1h)'), 'sum_over_time((a + b)[5m:1m] @ 100.000 offset -1h)');
});

const usual = [
  'sum by (job) (rate(http_requests_total{code=~"5..",job!="x"}[5m]))',
  'a{b="c"} / on (x) group_left (y) b',
  'a == bool 1',
  'topk(5, a)',
  'count_values("v", a)',
  'sum without () (a)',
  'a @ start() offset 1d2h',
  'rate(a[5m] @ end())',
  'max_over_time(a[step() * 2])',
  'label_replace(a, "x", "$1", "y", "(.*)")',
  'a and on () b',
  'a + fill_left (1) fill_right (-2) b',
  'max_of(min_of(1, 2), time())',
  'sum by (max_of) (min_of offset max_of(1m, 2m))',
];

test('queries are printed as they are written in the usual form', (t) => {
  for (const query of usual) t.is(printed(query), query);
  t.is(printed('{"my.metric","my label"="x"}'), '{"my label"="x",__name__="my.metric"}');
  t.is(printed('time() - 1e10'), 'time() - 10000000000');
});

test('other forms come to the usual one', (t) => {
  t.is(printed('SUM(a)BY(b)'), 'sum by (b) (a)');
  t.is(printed('a{ b = "c" , } # a comment'), 'a{b="c"}');
  t.is(printed('5.'), '5');
  t.is(printed('0x1F + 017 + 1_000 + Inf'), '31 + 15 + 1000 + +Inf');
  t.is(printed('1h30m'), '1h30m');
  t.is(printed(String.raw`'it\'s \x41\u0042'`), `"it's AB"`);
});

test('a long query is split into lines', (t) => {
  const query =
    'histogram_quantile(0.99, sum by (le, job, instance, namespace) (rate(http_request_duration_seconds_bucket{job="api"}[5m])))';
  t.is(
    printed(query),
    [
      'histogram_quantile(',
      '  0.99,',
      '  sum by (le, job, instance, namespace) (rate(http_request_duration_seconds_bucket{job="api"}[5m]))',
      ')',
    ].join('\n'),
  );
});

const refused: readonly (readonly [query: string, message: string])[] = [
  ['', '1:1: parse error: no expression found in input'],
  ['a b', '1:3: parse error: unexpected identifier "b"'],
  ['a +', '1:4: parse error: unexpected end of input'],
  ['sum(a', '1:6: parse error: unclosed left parenthesis'],
  ['a{b="c', '1:5: parse error: unterminated quoted string'],
  ['a{b="\\q"}', "1:5: parse error: unknown escape sequence U+0071 'q'"],
  ['é + a\n  + nothing(a)', "1:1: parse error: unexpected character: 'é'"],
  ['a\n  + nothing(a)', '2:5: parse error: unknown function with name "nothing"'],
  ['rate(a)', '1:6: parse error: expected type range vector in call to function "rate", got instant vector'],
  ['abs()', '1:1: parse error: expected 1 argument(s) in call to "abs", got 0'],
  ['round(a, 1, 2)', '1:1: parse error: expected at most 2 argument(s) in call to "round", got 3'],
  ['sum(1)', '1:5: parse error: expected type instant vector in aggregation expression, got scalar'],
  ['topk(a)', '1:1: parse error: wrong number of arguments for aggregate expression provided, expected 2, got 1'],
  ['1 == 2', '1:3: parse error: comparisons between scalars must use BOOL modifier'],
  ['a + bool b', '1:3: parse error: bool modifier can only be used on comparison operators'],
  ['a and 1', '1:1: parse error: set operator "and" not allowed in binary scalar expression'],
  ['a and on (x) group_left b', '1:1: parse error: no grouping allowed for "and" operation'],
  ['a * on (x) group_left (x) b', '1:3: parse error: label "x" must not occur in ON and GROUP clause at once'],
  ['a[5m] + 1', '1:1: parse error: binary expression must contain only scalar and instant vector types'],
  ['(a)[5m]', '1:4: parse error: ranges only allowed for vector selectors'],
  ['a[0s]', '1:3: parse error: duration must be greater than 0'],
  ['a offset 1m offset 1m', '1:1: parse error: offset may not be set multiple times'],
  [
    'sum(a) offset 1m',
    '1:1: parse error: offset modifier must be preceded by an instant vector selector or range vector selector or a subquery',
  ],
  ['a @ 1 @ 2', '1:1: parse error: @ <timestamp> may not be set multiple times'],
  ['{a=~".*"}', '1:1: parse error: vector selector must contain at least one non-empty matcher'],
  ['a{__name__="b"}', '1:1: parse error: metric name must not be set twice: "a" or "b"'],
  ['a{b=~"["}', '1:3: parse error: error parsing regexp: missing closing ]: `[`'],
];

for (const [query, message] of refused) {
  test(`${JSON.stringify(query)} is refused with its place`, (t) => {
    const error = t.throws(() => parseQuery(query), { instanceOf: QueryError });
    t.is(error.message, message);
    t.is(error.kind, 'bad_data');
  });
}

test('a query that is too long or too deep is refused', (t) => {
  t.regex(t.throws(() => parseQuery('a'.repeat(70_000))).message, /at most 65536 characters/);
  t.regex(t.throws(() => parseQuery(`${'('.repeat(600)}a${')'.repeat(600)}`)).message, /nested more than 500 levels/);
  t.regex(t.throws(() => parseQuery(Array(600).fill('a').join('+'))).message, /nested more than 500 levels/);
  t.regex(t.throws(() => parseQuery(Array(30_000).fill('a').join('^'))).message, /at most 500 levels/);
  for (const chain of ['1+', 'a or ', '-', 'abs(', 'sum by (a) (rate(m[5m]))+']) {
    const text = chain.repeat(Math.floor(60_000 / chain.length));
    t.regex(t.throws(() => parseQuery(`${text}1`)).message, /expressions are nested at most 500 levels deep/);
  }
  t.notRegex(t.throws(() => parseQuery('sum(rate(m[5m)) + 1')).message, /levels/);
});

test('a selector alone selects series', (t) => {
  t.deepEqual(parseSelector('up{job=~"a|b"}').matchers, [
    { kind: 'match', name: 'job', value: 'a|b' },
    { kind: 'equal', name: '__name__', value: 'up' },
  ]);
  t.throws(() => parseSelector('up offset 5m'), { instanceOf: QueryError });
  t.throws(() => parseSelector('sum(up)'), { instanceOf: QueryError });
});
