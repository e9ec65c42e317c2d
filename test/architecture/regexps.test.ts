import test from 'ava';
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isStringLiteral,
  isTypeReferenceNode,
} from 'typescript/unstable/ast/is';
import { forEachNode, openSourceTrees } from '../support/typescript.js';

/** Files that put a pattern together while they run, with the reason. No other file may: its pattern cannot be proved to take linear time. */
const composed: Readonly<Record<string, string>> = {};

/** Methods of texts that make a pattern of a text. */
const compiling = ['match', 'matchAll', 'search'];

test('patterns are literals, which a long test proves to take linear time', (t) => {
  const trees = openSourceTrees();
  t.teardown(() => trees.close());
  const files = new Set<string>();
  for (const [path, file] of trees.files('src')) {
    forEachNode(file, (node) => {
      if (isIdentifier(node) && node.text === 'RegExp' && !isTypeReferenceNode(node.parent)) files.add(path);
      if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return;
      const [pattern] = node.arguments;
      const isText = pattern !== undefined && isStringLiteral(pattern);
      if (isText && compiling.includes(node.expression.name.text)) files.add(path);
    });
  }
  t.deepEqual([...files].sort(), Object.keys(composed));
});
