import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import type { Node } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { SignatureKind, type Type } from 'typescript/unstable/sync';
import { Codes } from '../../src/model/fault.js';
import { forEachNode, openSourceTrees } from '../support/typescript.js';

/** What the parts of the load tool that do its work have in common. */
const loadParts = [
  'model',
  'pipelines',
  'load/model',
  'load/rows',
  'load/encode',
  'load/sinks',
  'load/view',
  'load/execution',
];

/** What translates expressions stands on these. */
const sqlGround = ['model', 'sql/syntax', 'sql/times', 'sql/engine', 'sql/values'];

/** What plans stands on these. */
const planGround = [...sqlGround, 'sql/functions', 'sql/resolve'];

/** What works on defined tables stands on these. */
const tables = ['model', 'sql', 'database/engine', 'database/catalogue', 'database/store'];

/** What a running service is made of. */
const serviceModules = [
  'model',
  'process',
  'config',
  'telemetry',
  'database',
  'transforms',
  'sources',
  'wal',
  'sinks',
  'statements',
  'pipelines',
  'events',
  'notify',
  'http',
  'workers',
];

/**
 * What each module may import: `text`, `bytes` and other modules, with `model` also `async`, and packages by prefix. A
 * folder of a module may be a module of its own. A module that may import another one may import the modules in it.
 */
const rules: Readonly<Record<string, { modules: readonly string[]; packages: readonly string[] }>> = {
  model: { modules: [], packages: ['rxjs'] },
  async: { modules: ['model'], packages: ['rxjs'] },
  process: { modules: ['model'], packages: ['koffi'] },
  text: { modules: [], packages: [] },
  bytes: { modules: [], packages: [] },
  config: { modules: ['model'], packages: ['smol-toml'] },
  telemetry: { modules: ['model'], packages: ['pino', 'prom-client', 'hot-shots'] },
  // The SQL front-end, from the ground up.
  'sql/syntax': { modules: ['model'], packages: [] },
  'sql/parser': { modules: ['model', 'sql/syntax'], packages: [] },
  'sql/times': { modules: ['model', 'sql/syntax'], packages: [] },
  'sql/insert': { modules: ['model', 'sql/syntax', 'sql/times'], packages: [] },
  'sql/engine': { modules: ['model', 'sql/syntax'], packages: [] },
  'sql/values': { modules: ['model', 'sql/syntax', 'sql/times', 'sql/engine'], packages: [] },
  'sql/functions': { modules: ['model', 'sql/syntax', 'sql/times', 'sql/engine', 'sql/values'], packages: [] },
  'sql/resolve': { modules: [...sqlGround, 'sql/parser', 'sql/functions'], packages: [] },
  'sql/plan/rows': { modules: planGround, packages: [] },
  'sql/plan/join': { modules: [...planGround, 'sql/plan/rows'], packages: [] },
  'sql/plan/group': { modules: [...planGround, 'sql/plan/rows'], packages: [] },
  'sql/plan/window': { modules: [...planGround, 'sql/plan/rows', 'sql/plan/group'], packages: [] },
  'sql/plan': { modules: [...planGround, 'sql/plan'], packages: [] },
  promql: { modules: ['model', 'sql/engine'], packages: ['@prometheus-io/lezer-promql', '@lezer/', 're2js'] },
  // The way to the engine and what is kept in it, from the ground up.
  database: { modules: ['model'], packages: [] },
  'database/engine': { modules: ['model', 'sql'], packages: ['chdb', 'ix', 'rxjs'] },
  'database/host/connection': { modules: ['model', 'sql', 'database/engine'], packages: ['chdb'] },
  'database/host/server': {
    modules: ['model', 'sql', 'database/engine', 'database/host/connection'],
    packages: ['chdb'],
  },
  'database/host': {
    modules: ['model', 'process', 'sql', 'database/engine', 'database/host'],
    packages: ['rxjs', 'split2'],
  },
  'database/cluster': { modules: ['model', 'sql', 'database/engine'], packages: ['rxjs'] },
  'database/catalogue': { modules: ['model', 'sql', 'database/engine'], packages: ['rxjs'] },
  'database/store': { modules: tables, packages: ['rxjs'] },
  'database/consumers': { modules: tables, packages: [] },
  // Formats: `wire` knows bytes, `points` what becomes of them, `parse` and `encode` each format.
  transforms: { modules: ['model', 'transforms'], packages: ['rxjs'] },
  'transforms/wire': { modules: ['model'], packages: [] },
  'transforms/points': { modules: ['model', 'transforms/wire'], packages: [] },
  'transforms/parse': { modules: ['model', 'transforms/wire', 'transforms/points'], packages: [] },
  'transforms/bound': { modules: ['model'], packages: [] },
  'transforms/encode': { modules: ['model', 'transforms/wire'], packages: [] },
  sources: { modules: ['model', 'transforms'], packages: ['rxjs', 'split2', 'through2', 'pumpify'] },
  wal: { modules: ['model', 'database'], packages: [] },
  sinks: { modules: ['model', 'database', 'transforms'], packages: [] },
  // Statements by kind, from the ground up; the table of kinds and what runs them above.
  'statements/lists': { modules: [...tables, 'database/cluster', 'database/consumers'], packages: [] },
  'statements/definitions': { modules: [...tables, 'database/consumers'], packages: [] },
  'statements/show': { modules: [...tables, 'statements/definitions', 'statements/lists'], packages: [] },
  'statements/users': {
    modules: ['model', 'sql', 'database/catalogue', 'statements/definitions', 'statements/lists'],
    packages: [],
  },
  statements: { modules: ['model', 'telemetry', 'sql', 'database', 'transforms', 'statements'], packages: [] },
  pipelines: {
    modules: [
      'model',
      'config',
      'telemetry',
      'sql',
      'promql',
      'database',
      'events',
      'transforms',
      'sources',
      'sinks',
      'wal',
      'statements',
    ],
    packages: ['rxjs', 'ix'],
  },
  events: { modules: ['model'], packages: ['rxjs'] },
  notify: { modules: ['model'], packages: ['nodemailer'] },
  // HTTP, from a request to its reply.
  'http/request': { modules: ['model', 'telemetry'], packages: ['fastify'] },
  'http/answer': { modules: ['model', 'http/request'], packages: [] },
  'http/connection': { modules: ['model', 'http/request', 'http/answer'], packages: [] },
  'http/api': { modules: ['model', 'http/request'], packages: [] },
  'http/handlers': { modules: ['model', 'http/request', 'http/answer', 'http/api'], packages: ['fastify'] },
  'http/websocket': {
    modules: ['model', 'http/request', 'http/answer', 'transforms/encode', 'transforms/bound'],
    packages: ['ws'],
  },
  'http/grpc': {
    modules: ['model', 'http/request', 'http/answer', 'http/connection', 'http/handlers'],
    packages: ['@grpc/'],
  },
  http: { modules: ['model', 'http'], packages: ['fastify', '@fastify/', 'find-my-way'] },
  // What one process tells another is of any module.
  workers: {
    modules: ['model', 'config', 'telemetry', 'database', 'events', 'statements', 'pipelines'],
    packages: ['split2'],
  },
  service: { modules: serviceModules, packages: [] },
  commands: {
    modules: ['model', 'config', 'telemetry', 'database', 'events', 'promql', 'service'],
    packages: ['yaml'],
  },
  // The load tool: parts of the service are in it, and nothing of the service imports it.
  'load/settings/keys': { modules: [], packages: [] },
  'load/model': { modules: ['model', 'load/settings/keys'], packages: [] },
  'load/settings': { modules: ['model', 'config', 'load/model', 'load/settings'], packages: [] },
  'load/rows': { modules: ['model', 'load/model'], packages: ['ix', 'csv-parse'] },
  'load/encode': { modules: ['model', 'transforms', 'load/model'], packages: [] },
  'load/report': { modules: ['model', 'load/model'], packages: [] },
  'load/view': { modules: ['model', 'load/model'], packages: ['hdr-histogram-js'] },
  'load/sinks': { modules: ['model', 'database', 'sinks', 'load/model'], packages: [] },
  'load/execution': { modules: ['model', 'pipelines', 'load/model'], packages: [] },
  'load/destination': {
    modules: [...serviceModules, 'service', 'load/model', 'load/settings/keys', 'load/execution'],
    packages: ['ws'],
  },
  'load/insert': { modules: [...loadParts, 'database', 'load/destination'], packages: [] },
  'load/query': { modules: [...loadParts, 'sql'], packages: [] },
  'load/subscribe': { modules: [...loadParts, 'load/settings/keys'], packages: ['ix'] },
};

/** Imports of single files that the table above leaves out, each with its reason. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // The one place where all option tables come together; they are data that imports the model alone.
  'config/adapter-settings.ts': ['sources', 'database', 'events', 'wal', 'notify'],
  // A rule that is tried is read as the settings file is.
  'config/rule-text.ts': ['events'],
  // Answers are encoded where they leave.
  'http/answer/reply.ts': ['transforms'],
  'http/handlers/otlp.ts': ['transforms'],
};

const root = join(import.meta.dirname, '../../../src');

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

function imports(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s+'([^']+)'|import\('([^']+)'\)/g);
  return [...specifiers].map((match) => match[1] ?? match[2] ?? '');
}

/** The module of a file: the innermost folder with a rule; files directly in `src` have none. */
function moduleOf(name: string): string {
  const parts = name.split('/').slice(0, -1);
  while (parts.length > 0 && !(parts.join('/') in rules)) parts.pop();
  return parts.join('/') || (name.includes('/') ? (name.split('/')[0] ?? '') : '');
}

function isAllowed(target: string, [own, ...modules]: readonly string[]): boolean {
  return target === own || modules.some((module) => target === module || target.startsWith(`${module}/`));
}

for (const [module, rule] of Object.entries(rules)) {
  test(`the module ${module} imports only what its rule allows`, (t) => {
    t.true(existsSync(join(root, module)));
    for (const file of sources(join(root, module))) {
      const name = relative(root, file);
      if (moduleOf(name) !== module) continue;
      const withModel = rule.modules.includes('model') ? ['async'] : [];
      const allowed = [module, 'text', 'bytes', ...withModel, ...rule.modules, ...(exceptions[name] ?? [])];
      for (const specifier of imports(file)) {
        if (specifier.startsWith('node:')) continue;
        if (specifier.startsWith('.')) {
          const target = moduleOf(relative(root, join(file, '..', specifier)));
          t.true(isAllowed(target, allowed), `${name} must not import ${specifier}`);
        } else {
          t.true(
            rule.packages.some((prefix) => specifier.startsWith(prefix)),
            `${name} must not import ${specifier}`,
          );
        }
      }
    }
  });
}

test('only its entry and the page of settings import the load tool', (t) => {
  const outside = sources(root).filter((file) => !relative(root, file).startsWith('load/'));
  const users = outside.filter((file) => imports(file).some((name) => /^(\.\/|(\.\.\/)+)load\//.test(name)));
  t.deepEqual(users.map((file) => relative(root, file)).sort(), ['bench.ts', 'write-settings-page.ts']);
});

test('no files import each other in a circle', (t) => {
  const done = new Set<string>();
  const circle = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const specifier of imports(file).filter((name) => name.startsWith('.'))) {
      const cycle = circle(join(file, '..', specifier).replace(/\.js$/, '.ts'), [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of sources(root)) {
    t.deepEqual(
      (circle(file, []) ?? []).map((name) => relative(root, name)),
      [],
    );
  }
});

test('no file reads ahead with ix, or exits the process', (t) => {
  for (const file of sources(root)) {
    const text = readFileSync(file, 'utf8');
    t.notRegex(text, /process\.exit\(/, file);
    t.notRegex(text, /from 'ix\/asynciterable\/operators\/(flatmap|batch)/, file);
  }
});

test('no file drains an async iterable through rxjs, which takes all of it at once', (t) => {
  const trees = openSourceTrees();
  t.teardown(() => trees.close());
  const { checker } = trees.project;
  const isAsync = (type: Type | undefined): boolean =>
    type !== undefined && checker.getPropertiesOfType(type).some(({ name }) => name.includes('@asyncIterator'));
  /** Of a value that is given to rxjs, or of what a function gives to it. */
  const brings = (node: Node): boolean => {
    const type = checker.getTypeAtLocation(node);
    const signatures = type === undefined ? [] : checker.getSignaturesOfType(type, SignatureKind.Call);
    return isAsync(type) || signatures.some((signature) => isAsync(checker.getReturnTypeOfSignature(signature)));
  };
  let calls = 0;
  const wrong: string[] = [];
  for (const [path, file] of trees.files('src')) {
    const names = new Set<string>();
    forEachNode(file, (node) => {
      if (is.isImportSpecifier(node) && specifierOf(node) === 'rxjs') names.add(node.name.text);
      if (!is.isCallExpression(node) || !is.isIdentifier(node.expression) || !names.has(node.expression.text)) return;
      calls++;
      if (node.arguments.some(brings)) wrong.push(`${path}: ${node.getText()}`);
    });
  }
  t.true(calls > 20, `${calls} calls of rxjs`);
  t.deepEqual(wrong, []);
});

/** The package that a name is imported from. */
function specifierOf(node: Node): string | undefined {
  const declaration = node.parent?.parent?.parent;
  if (declaration === undefined || !is.isImportDeclaration(declaration)) return undefined;
  return is.isStringLiteral(declaration.moduleSpecifier) ? declaration.moduleSpecifier.text : undefined;
}

test('every wire code is in use', (t) => {
  const text = sources(root)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const unused = Object.keys(Codes).filter((name) => !new RegExp(`\\bCodes\\.${name}\\b`).test(text));
  t.deepEqual(unused, []);
});

test('a wire code is written as a number in one place only', (t) => {
  for (const module of ['http', 'sinks']) {
    for (const file of sources(`${root}/${module}`)) {
      const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      t.notRegex(code, /\b0x[0-9a-f]{4}\b/i, file);
    }
  }
});

test('no code says any, and none silences the compiler', (t) => {
  for (const file of sources(root)) {
    const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    t.notRegex(code, /\bas any\b|:\s*any\b|<any>|@ts-ignore|@ts-expect-error/, file);
  }
});
