import test from 'ava';
import fc from 'fast-check';
import { column, quoted, text } from '../../../src/sql/engine/build.js';
import {
  ArrayOf,
  Between,
  Binary,
  Call,
  Digits,
  Element,
  type Expr,
  Lambda,
  Member,
  type Operator,
  precedences,
  Tuple,
  Unary,
  Word,
} from '../../../src/sql/engine/nodes.js';
import { printExpr } from '../../../src/sql/engine/print.js';
import { expr } from '../../../src/sql/engine/template.js';

const [a, b] = [column('t1', 'a'), column(undefined, 'b')];

test('a template prints as it is written, with its holes filled', (t) => {
  t.is(printExpr(expr`if(isFinite(${a}), ${a}, NULL)`), 'if(isFinite(t1.a), t1.a, NULL)');
  t.is(printExpr(expr`concat(${[a, b]}, 'x')`), "concat(t1.a, b, 'x')");
  t.is(printExpr(expr`[${[]}]`), '[]');
  t.is(
    printExpr(expr`arrayMap((x, n) -> if(n = 1, x, ${b}), [${a}])[1]`),
    'arrayMap((x, n) -> if(n = 1, x, b), [t1.a])[1]',
  );
  t.is(printExpr(expr`quantile(${0.5})(${a})`), 'quantile(0.5)(t1.a)');
  t.is(printExpr(expr`toInt64(${-5n})`), 'toInt64(-5)');
  t.is(printExpr(expr`${a} BETWEEN ${1} AND ${2} AND NOT ${b} IN (1, 2)`), 't1.a BETWEEN 1 AND 2 AND NOT b IN (1, 2)');
  t.is(printExpr(expr`q.1 IS NOT DISTINCT FROM toString(${a})`), 'q.1 IS NOT DISTINCT FROM toString(t1.a)');
  t.is(printExpr(expr`${a}`), 't1.a');
});

test('a hole keeps its meaning beside operators', (t) => {
  const sum = expr`${a} + ${b}`;
  t.is(printExpr(expr`${sum} * 2`), '(t1.a + b) * 2');
  t.is(printExpr(expr`1 - ${sum}`), '1 - (t1.a + b)');
  t.is(printExpr(expr`-${sum}`), '-(t1.a + b)');
  t.is(printExpr(expr`f(x -> ${sum} = ${expr`${a} = ${b}`})`), 'f(x -> t1.a + b = (t1.a = b))');
});

test('texts and names of users are quoted', (t) => {
  t.is(printExpr(expr`lower(${text("it's \\ \n")})`), "lower('it\\'s \\\\ \\n')");
  t.is(printExpr(expr`max(${quoted('t1', 'a`b')})`), 'max(t1.`a\\`b`)');
  t.is(printExpr(expr`concat('a\\'b', ${text('c')})`), "concat('a\\'b', 'c')");
});

test('a node does not become a text by itself, and a list fills no single place', (t) => {
  t.throws(() => `${a}`, { instanceOf: TypeError });
  t.throws(() => expr`1 + ${[a, b]}`, { instanceOf: TypeError });
  t.throws(() => expr`max(${a}`, { message: /No template/ });
});

const names = fc.constantFrom('a', 'b', 'c1');
const { tree } = fc.letrec<{ tree: Expr }>((tie) => {
  const list = (least: number) => fc.array(tie('tree'), { minLength: least, maxLength: 3 });
  return {
    tree: fc.oneof(
      { maxDepth: 4 },
      names.map((name): Expr => column(undefined, name)),
      names.map((name): Expr => column('t1', name)),
      fc.nat().map((value): Expr => new Digits(String(value))),
      fc.string({ maxLength: 4 }).map((value): Expr => text(value)),
      fc.constantFrom('NULL', 'true').map((word): Expr => new Word(word as 'NULL' | 'true')),
      fc.tuple(names, list(0)).map(([name, args]): Expr => new Call(name, args)),
      list(0).map((items): Expr => new ArrayOf(items)),
      list(2).map((items): Expr => new Tuple(items)),
      fc
        .tuple(fc.constantFrom(...(Object.keys(precedences) as Operator[])), tie('tree'), tie('tree'))
        .map(([operator, left, right]): Expr => new Binary(operator, left, right)),
      fc
        .tuple(fc.constantFrom('-', 'NOT'), tie('tree'))
        .map(([operator, operand]): Expr => new Unary(operator as '-', operand)),
      fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([value, low, high]): Expr => new Between(value, low, high)),
      fc.tuple(tie('tree'), tie('tree')).map(([base, index]): Expr => new Element(base, index)),
      tie('tree').map((base): Expr => new Member(base, 2)),
      fc.tuple(names, tie('tree')).map(([name, body]): Expr => new Lambda([name], body)),
    ),
  };
});

/** The template of a text without holes. */
function read(source: string): Expr {
  return expr(Object.assign([source], { raw: [source] }));
}

test('what is printed is read as the same tree', (t) => {
  fc.assert(
    fc.property(tree, (node) => {
      const printed = printExpr(node);
      t.is(printExpr(read(printed)), printed);
      t.deepEqual(shape(read(printed)), shape(node), printed);
    }),
    { numRuns: 500 },
  );
});

/** A tree as plain data. */
function shape(node: Expr): unknown {
  return JSON.parse(JSON.stringify(node));
}
