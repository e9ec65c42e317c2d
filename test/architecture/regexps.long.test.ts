import test from 'ava';
import { isRegularExpressionLiteral } from 'typescript/unstable/ast/is';
import { forEachNode, openSourceTrees } from '../support/typescript.js';

// The checker's own JavaScript, which is the same on all machines, and not a program of another language.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

const patienceMs = 120_000;

/** What speaks against a pattern; undefined when every text is matched, or not, in linear time. */
function problemOf(pattern: string): string | undefined {
  const end = pattern.lastIndexOf('/');
  const result = checkSync(pattern.slice(1, end), pattern.slice(end + 1), {
    checker: 'automaton',
    timeout: patienceMs,
  });
  if (result.status === 'vulnerable') return `${result.complexity.summary} time, as for ${result.attack.pattern}`;
  return result.status === 'safe' ? undefined : `not proved: ${result.error.kind}`;
}

test('every pattern of the service takes linear time, whatever the text', (t) => {
  t.timeout(10 * 60_000);
  const trees = openSourceTrees();
  t.teardown(() => trees.close());
  const users = new Map<string, string>();
  for (const [path, file] of trees.files('src')) {
    forEachNode(file, (node) => {
      if (isRegularExpressionLiteral(node)) users.set(node.text, path);
    });
  }
  t.true(users.size > 200, `${users.size} patterns`);
  for (const [pattern, path] of users) t.is(problemOf(pattern), undefined, `${path} ${pattern}`);
});

test('patterns of quadratic and exponential time are found', (t) => {
  t.regex(problemOf('/0+$/') ?? '', /^2nd degree polynomial/);
  t.regex(problemOf(String.raw`/^(?:[\s(]|\/\*[\s\S]*?\*\/)*select\b/`) ?? '', /^exponential/);
  t.regex(problemOf(String.raw`/(a+)\1c/`) ?? '', /^not proved/);
});
