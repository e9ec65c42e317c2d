import fc from 'fast-check';
import type {
  Expression,
  FromItem,
  Name,
  ObjectName,
  Query,
  Span,
  TypeSyntax,
  WindowLength,
} from '../../../src/sql/syntax/ast.js';

const span: fc.Arbitrary<Span> = fc.constant({ start: 0, end: 0 });
const none = fc.constant(undefined);

const bareName = fc
  .stringMatching(/^c_[a-z0-9_]{0,6}$/)
  .map((text): Name => ({ text, quoted: false, span: { start: 0, end: 0 } }));
const quotedName = fc
  .stringMatching(/^[ -\-/-_a-~éß漢]{1,8}$/)
  .map((text): Name => ({ text, quoted: true, span: { start: 0, end: 0 } }));

/** A bare or back-quoted name. */
export const randomName: fc.Arbitrary<Name> = fc.oneof(bareName, quotedName);

const objectName: fc.Arbitrary<ObjectName> = fc.record({
  database: fc.option(randomName, { nil: undefined }),
  name: randomName,
});
const count = fc.nat({ max: 100000 });
const duration = fc.record({
  count,
  unit: fc.constantFrom('b', 'u', 'a', 's', 'm', 'h', 'd', 'w', 'n', 'y'),
});
const length: fc.Arbitrary<WindowLength> = fc.oneof(
  duration,
  fc.record({ ticks: fc.bigInt({ min: 0n, max: 1n << 62n }) }),
);
const type: fc.Arbitrary<TypeSyntax> = fc.oneof(
  fc.record({
    name: fc.constantFrom('BOOL', 'INT', 'BIGINT UNSIGNED', 'DOUBLE', 'TIMESTAMP', 'VARCHAR'),
    length: none,
    scale: none,
    span,
  }),
  fc.record({ name: fc.constantFrom('VARCHAR', 'NCHAR', 'DECIMAL'), length: count, scale: none, span }),
  fc.record({ name: fc.constant('DECIMAL'), length: count, scale: count, span }),
);

const column: fc.Arbitrary<Expression> = fc.record({
  kind: fc.constant('column'),
  table: fc.option(randomName, { nil: undefined }),
  name: randomName,
  span,
});
const literal: fc.Arbitrary<Expression> = fc.oneof(
  fc.record({ kind: fc.constant('integer'), value: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), span }),
  fc.record({
    kind: fc.constant('number'),
    text: fc.constantFrom('1.5', '.5', '1e3', '1.2E-3', '99999999999999999999999'),
    span,
  }),
  fc.record({ kind: fc.constant('string'), value: fc.string({ unit: 'grapheme' }), span }),
  fc.record({ kind: fc.constant('bool'), value: fc.boolean(), span }),
  fc.record({ kind: fc.constant('null'), span }),
  fc.record({ kind: fc.constant('duration'), value: duration, span }),
  fc.record({ kind: fc.constant('timestamp'), text: fc.string(), span }),
  column,
  fc.record({
    kind: fc.constant('call'),
    name: fc.constantFrom('NOW', 'TODAY', 'TIMEZONE'),
    args: fc.constant([]),
    bare: fc.constant(true),
    span,
  }),
);

const operator = fc.constantFrom(
  ...(['+', '-', '*', '/', '%', '&', '|', '=', '<>', '<', '<=', '>', '>=', 'AND', 'OR', 'LIKE', 'NOT LIKE'] as const),
  ...(['MATCH', 'NMATCH', 'REGEXP', 'NOT REGEXP', 'CONTAINS'] as const),
);
const star: fc.Arbitrary<Expression> = fc.record({
  kind: fc.constant('star'),
  table: fc.option(randomName, { nil: undefined }),
  span,
});

/** Any expression that the grammar can write; spans are all zero. */
export const randomExpression: fc.Arbitrary<Expression> = fc.letrec<{ node: Expression }>((tie) => {
  const node = tie('node');
  const list = fc.array(node, { minLength: 1, maxLength: 3 });
  const key: fc.Arbitrary<Expression> = fc.record({ kind: fc.constant('string'), value: fc.string(), span });
  return {
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literal,
      fc.record({ kind: fc.constant('binary'), operator, left: node, right: node, span }),
      fc.record({ kind: fc.constant('binary'), operator: fc.constant('->'), left: node, right: key, span }),
      fc.record({ kind: fc.constant('negate'), value: node, span }),
      fc.record({ kind: fc.constant('not'), value: node, span }),
      fc.record({ kind: fc.constant('between'), value: node, low: node, high: node, negated: fc.boolean(), span }),
      fc.record({ kind: fc.constant('in'), value: node, list, negated: fc.boolean(), span }),
      fc.record({ kind: fc.constant('is-null'), value: node, negated: fc.boolean(), span }),
      fc.record({ kind: fc.constant('cast'), value: node, type, span }),
      fc.record({
        kind: fc.constant('call'),
        name: fc.constantFrom('COUNT', 'LAST', 'ABS', 'IF', 'LEFT', 'MYFUNC_2'),
        args: fc.array(fc.oneof({ weight: 4, arbitrary: node }, { weight: 1, arbitrary: star }), { maxLength: 3 }),
        bare: fc.constant(false),
        span,
      }),
      fc.record({
        kind: fc.constant('case'),
        operand: fc.option(node, { nil: undefined }),
        branches: fc.array(branch(node), { minLength: 1, maxLength: 2 }),
        otherwise: fc.option(node, { nil: undefined }),
        span,
      }),
    ),
  };
}).node;

function branch(node: fc.Arbitrary<Expression>): fc.Arbitrary<{ when: Expression; then: Expression }> {
  // biome-ignore lint/suspicious/noThenProperty: the syntax tree names the branches by their keywords and is never awaited
  return fc.tuple(node, node).map(([when, value]) => ({ when, then: value }));
}

const alias = fc.option(randomName, { nil: undefined });
const maybe = fc.option(randomExpression, { nil: undefined });
const someColumns = fc.array(randomName, { maxLength: 2 });
const limit = fc.option(
  fc.record({ count: fc.bigInt({ min: -10n, max: 10n }), offset: fc.bigInt({ min: -10n, max: 10n }), span }),
  { nil: undefined },
);
const fill = fc.option(
  fc.oneof(
    fc.record({
      mode: fc.constantFrom('NONE', 'NULL', 'NULL_F', 'PREV', 'NEXT', 'NEAR', 'LINEAR'),
      values: fc.constant([]),
      span,
    }),
    fc.record({
      mode: fc.constantFrom('VALUE', 'VALUE_F'),
      values: fc.array(literal, { minLength: 1, maxLength: 3 }),
      span,
    }),
  ),
  { nil: undefined },
);
const maybeLength = fc.option(length, { nil: undefined });
const least = fc.oneof(length, fc.record({ rows: fc.bigInt({ min: 0n, max: 1000n }) }));
const pair = fc.record({ operator: fc.constantFrom('AND', 'OR'), left: least, right: least });
const trueFor = fc.option(fc.oneof(least, pair), { nil: undefined });
const window = fc.option(
  fc.oneof(
    fc.record({
      kind: fc.constant('interval'),
      length,
      offset: fc.option(fc.oneof(length, fc.constant('AUTO')), { nil: undefined }),
      sliding: maybeLength,
      fill,
      span,
    }),
    fc.record({ kind: fc.constant('session'), column: randomExpression, gap: length, span }),
    fc.record({
      kind: fc.constant('state'),
      // A literal behind the first value would be the extension.
      values: fc.oneof(fc.tuple(randomExpression), fc.tuple(randomExpression, column)),
      extend: maybe,
      zeroth: fc.constant([]),
      trueFor,
      span,
    }),
    fc.record({
      kind: fc.constant('event'),
      start: randomExpression,
      end: randomExpression,
      trueFor,
      span,
    }),
    fc.record({
      kind: fc.constant('count'),
      size: fc.bigInt({ min: 0n, max: 1000n }),
      sliding: fc.option(fc.bigInt({ min: 0n, max: 1000n }), { nil: undefined }),
      columns: someColumns,
      span,
    }),
  ),
  { nil: undefined },
);
const range = fc.option(
  fc.record({
    from: randomExpression,
    to: maybe.filter((value) => value?.kind !== 'duration'),
    within: none,
    every: maybeLength,
    fill,
    span,
  }),
  {
    nil: undefined,
  },
);
const item = fc.oneof(
  fc.record({ value: randomExpression, alias, text: fc.constant('') }),
  fc.record({ value: star, alias: none, text: fc.constant('') }),
);
const joinKind = fc.constantFrom(
  ...(['comma', 'inner', 'left', 'right', 'full', 'left-semi', 'right-semi', 'left-anti', 'right-anti'] as const),
  ...(['left-asof', 'right-asof', 'left-window', 'right-window'] as const),
);

/** Any query that the grammar can write; spans are all zero and result names empty. */
export const randomQuery: fc.Arbitrary<Query> = fc.letrec<{ query: Query; from: FromItem }>((tie) => ({
  from: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constant('table'), table: objectName, alias }),
    fc.record({ kind: fc.constant('subquery'), query: tie('query'), alias }),
    fc
      .record({
        kind: fc.constant('join'),
        join: joinKind,
        left: tie('from'),
        right: tie('from'),
        on: maybe,
        windowOffset: fc.option(fc.tuple(duration, duration), { nil: undefined }),
        jlimit: fc.option(count, { nil: undefined }),
        span,
      })
      .map(
        (join): FromItem =>
          join.join === 'comma' ? { ...join, on: undefined, windowOffset: undefined, jlimit: undefined } : join,
      ),
  ),
  query: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      kind: fc.constant('select'),
      distinct: fc.boolean(),
      tags: fc.boolean(),
      items: fc.array(item, { minLength: 1, maxLength: 3 }),
      from: fc.option(tie('from'), { nil: undefined }),
      where: maybe,
      partitionBy: fc.array(fc.record({ value: randomExpression, alias, text: fc.constant('') }), { maxLength: 2 }),
      range,
      window,
      groupBy: fc.array(fc.record({ value: randomExpression, alias: none, text: fc.constant('') }), { maxLength: 2 }),
      having: maybe,
      orderBy: fc.array(
        fc.record({
          value: randomExpression,
          descending: fc.boolean(),
          nulls: fc.constantFrom('first' as const, 'last' as const, undefined),
        }),
        { maxLength: 2 },
      ),
      slimit: limit,
      limit,
      span,
    }),
    fc.record({
      kind: fc.constant('union'),
      all: fc.boolean(),
      left: tie('query'),
      right: tie('query'),
      orderBy: fc.constant([]),
      limit,
      span,
    }),
  ),
})).query;
