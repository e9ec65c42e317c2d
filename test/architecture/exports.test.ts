import { join } from 'node:path';
import test from 'ava';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { forEachNode, openSourceTrees } from '../support/typescript.js';

/** `path name` of what a file takes from another one: imports, re-exports, and names taken from `await import(…)`. */
function usesIn(path: string, file: SourceFile): string[] {
  const uses: string[] = [];
  const add = (specifier: Node | undefined, names: readonly string[]): void => {
    if (specifier === undefined || !is.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return;
    const target = join(path, '..', specifier.text).replace(/\.js$/, '.ts');
    for (const name of names) uses.push(`${target} ${name}`);
  };
  forEachNode(file, (node) => {
    if (is.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      if (bindings !== undefined && is.isNamedImports(bindings))
        add(node.moduleSpecifier, bindings.elements.map(outerName));
      else if (bindings !== undefined) add(node.moduleSpecifier, ['*']);
    } else if (
      is.isExportDeclaration(node) &&
      node.exportClause !== undefined &&
      is.isNamedExports(node.exportClause)
    ) {
      add(node.moduleSpecifier, node.exportClause.elements.map(outerName));
    } else if (is.isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      const names = node.parent.parent;
      const isPattern = names !== undefined && is.isVariableDeclaration(names) && is.isObjectBindingPattern(names.name);
      add(node.arguments[0], isPattern ? boundNames(names.name) : ['*']);
    } else if (is.isImportTypeNode(node) && is.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, ['*']);
    }
  });
  return uses;
}

function boundNames(pattern: Node): string[] {
  const names: string[] = [];
  pattern.forEachChild((element) => {
    if (is.isBindingElement(element)) names.push((element.propertyName ?? element.name)?.getText() ?? '');
  });
  return names;
}

const outerName = (one: { readonly name: Node; readonly propertyName?: Node | undefined }): string =>
  (one.propertyName ?? one.name).getText();

/** Names that a file exports: of its own declarations, and of others' that it passes on. */
function exportsOf(file: SourceFile): string[] {
  const names: string[] = [];
  for (const statement of file.statements) {
    if (is.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      if (clause !== undefined && is.isNamedExports(clause))
        names.push(...clause.elements.map(({ name }) => name.getText()));
    } else if ('modifiers' in statement && isExported(statement)) {
      if (is.isVariableStatement(statement))
        names.push(...statement.declarationList.declarations.map(({ name }) => name.getText()));
      else if ('name' in statement) names.push((statement.name as Node).getText());
    }
  }
  return names;
}

function isExported(statement: Node): boolean {
  let isSo = false;
  statement.forEachChild((child) => {
    isSo ||= child.kind === SyntaxKind.ExportKeyword;
  });
  return isSo;
}

/** Exports that no file imports by their names, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  'src/process/page-release.ts releasePages': 'a test has a process of its own run it',
  'src/sql/insert/scanner.ts TableName': 'it is passed on with the types that name it',
};

test('what a file of src exports, another one imports from it', (t) => {
  const trees = openSourceTrees();
  t.teardown(() => trees.close());
  const uses = new Set<string>();
  for (const folder of ['src', 'test', 'bench', 'tools']) {
    for (const [path, file] of trees.files(folder)) for (const use of usesIn(path, file)) uses.add(use);
  }
  const dead: string[] = [];
  for (const [path, file] of trees.files('src')) {
    if (uses.has(`${path} *`)) continue;
    dead.push(
      ...exportsOf(file)
        .map((name) => `${path} ${name}`)
        .filter((name) => !uses.has(name)),
    );
  }
  t.deepEqual(dead.sort(), Object.keys(exceptions));
});
