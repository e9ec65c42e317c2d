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
const serviceRooms = [
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
 * What each room may import: `text`, `bytes` and other rooms, with `model` also `async`, and packages by prefix. A folder in a room may be a room of
 * its own; who may import a room may import those in it.
 */
const doors: Readonly<Record<string, { rooms: readonly string[]; packages: readonly string[] }>> = {
  model: { rooms: [], packages: ['rxjs'] },
  async: { rooms: ['model'], packages: ['rxjs'] },
  process: { rooms: ['model'], packages: ['koffi'] },
  text: { rooms: [], packages: [] },
  bytes: { rooms: [], packages: [] },
  config: { rooms: ['model'], packages: ['smol-toml'] },
  telemetry: { rooms: ['model'], packages: ['pino', 'prom-client', 'hot-shots'] },
  // The SQL front-end, from the ground up.
  'sql/syntax': { rooms: ['model'], packages: [] },
  'sql/parser': { rooms: ['model', 'sql/syntax'], packages: [] },
  'sql/times': { rooms: ['model', 'sql/syntax'], packages: [] },
  'sql/insert': { rooms: ['model', 'sql/syntax', 'sql/times'], packages: [] },
  'sql/engine': { rooms: ['model', 'sql/syntax'], packages: [] },
  'sql/values': { rooms: ['model', 'sql/syntax', 'sql/times', 'sql/engine'], packages: [] },
  'sql/functions': { rooms: ['model', 'sql/times', 'sql/engine', 'sql/values'], packages: [] },
  'sql/resolve': { rooms: [...sqlGround, 'sql/parser', 'sql/functions'], packages: [] },
  'sql/plan/rows': { rooms: planGround, packages: [] },
  'sql/plan/join': { rooms: [...planGround, 'sql/plan/rows'], packages: [] },
  'sql/plan/group': { rooms: [...planGround, 'sql/plan/rows'], packages: [] },
  'sql/plan/window': { rooms: [...planGround, 'sql/plan/rows', 'sql/plan/group'], packages: [] },
  'sql/plan': { rooms: [...planGround, 'sql/plan'], packages: [] },
  promql: { rooms: ['model', 'sql/engine'], packages: ['@prometheus-io/lezer-promql', '@lezer/', 're2js'] },
  // The way to the engine and what is kept in it, from the ground up.
  database: { rooms: ['model'], packages: [] },
  'database/engine': { rooms: ['model', 'sql'], packages: ['chdb', 'ix', 'rxjs'] },
  'database/host/connection': { rooms: ['model', 'sql', 'database/engine'], packages: ['chdb'] },
  'database/host/server': {
    rooms: ['model', 'sql', 'database/engine', 'database/host/connection'],
    packages: ['chdb'],
  },
  'database/host': {
    rooms: ['model', 'process', 'sql', 'database/engine', 'database/host'],
    packages: ['rxjs', 'split2'],
  },
  'database/cluster': { rooms: ['model', 'sql', 'database/engine'], packages: ['rxjs'] },
  'database/catalogue': { rooms: ['model', 'sql', 'database/engine'], packages: ['rxjs'] },
  'database/store': { rooms: tables, packages: ['rxjs'] },
  'database/consumers': { rooms: tables, packages: [] },
  // Formats: `wire` knows bytes, `points` what becomes of them, `parse` and `encode` each format.
  transforms: { rooms: ['model', 'transforms'], packages: ['rxjs'] },
  'transforms/wire': { rooms: ['model'], packages: [] },
  'transforms/points': { rooms: ['model', 'transforms/wire'], packages: [] },
  'transforms/parse': { rooms: ['model', 'transforms/wire', 'transforms/points'], packages: [] },
  'transforms/encode': { rooms: ['model', 'transforms/wire'], packages: [] },
  sources: { rooms: ['model', 'transforms'], packages: ['rxjs', 'split2', 'through2', 'pumpify'] },
  wal: { rooms: ['model', 'database'], packages: [] },
  sinks: { rooms: ['model', 'database', 'transforms'], packages: [] },
  // Statements by kind, from the ground up; the table of kinds and what runs them above.
  'statements/lists': { rooms: [...tables, 'database/cluster', 'database/consumers'], packages: [] },
  'statements/definitions': { rooms: [...tables, 'database/consumers'], packages: [] },
  'statements/show': { rooms: [...tables, 'statements/definitions', 'statements/lists'], packages: [] },
  'statements/users': {
    rooms: ['model', 'sql', 'database/catalogue', 'statements/definitions', 'statements/lists'],
    packages: [],
  },
  statements: { rooms: ['model', 'telemetry', 'sql', 'database', 'transforms', 'statements'], packages: [] },
  pipelines: {
    rooms: [
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
  events: { rooms: ['model'], packages: ['rxjs'] },
  notify: { rooms: ['model'], packages: ['nodemailer'] },
  // The door, from a request to its answer.
  'http/request': { rooms: ['model', 'telemetry'], packages: ['fastify'] },
  'http/answer': { rooms: ['model', 'http/request'], packages: ['fastify'] },
  'http/connection': { rooms: ['model', 'http/request', 'http/answer'], packages: [] },
  'http/api': { rooms: ['model', 'http/request'], packages: [] },
  'http/handlers': { rooms: ['model', 'http/request', 'http/answer', 'http/api'], packages: ['fastify'] },
  'http/websocket': { rooms: ['model', 'http/request', 'http/answer'], packages: ['ws'] },
  'http/grpc': {
    rooms: ['model', 'http/request', 'http/answer', 'http/connection', 'http/handlers'],
    packages: ['@grpc/'],
  },
  http: { rooms: ['model', 'http'], packages: ['fastify', '@fastify/'] },
  // What one process tells another is of any room.
  workers: {
    rooms: ['model', 'config', 'telemetry', 'database', 'events', 'statements', 'pipelines'],
    packages: ['split2'],
  },
  service: { rooms: serviceRooms, packages: [] },
  commands: { rooms: ['model', 'config', 'telemetry', 'database', 'service'], packages: [] },
  // The load tool: parts of the service are in it, and nothing of the service imports it.
  'load/model': { rooms: ['model'], packages: [] },
  'load/settings/keys': { rooms: ['model', 'config', 'load/model'], packages: [] },
  'load/settings/file': { rooms: ['model', 'config', 'load/model', 'load/settings/keys'], packages: [] },
  'load/settings/flags': {
    rooms: ['model', 'config', 'load/model', 'load/settings/keys', 'load/settings/file'],
    packages: [],
  },
  'load/settings': { rooms: ['model', 'config', 'load/model', 'load/settings'], packages: [] },
  'load/rows': { rooms: ['model', 'load/model'], packages: ['ix', 'csv-parse'] },
  'load/encode': { rooms: ['model', 'load/model'], packages: [] },
  'load/report': { rooms: ['model', 'load/model'], packages: [] },
  'load/view': { rooms: ['model', 'load/model'], packages: ['hdr-histogram-js', 'cli-progress'] },
  'load/sinks': { rooms: ['model', 'database', 'sinks', 'load/model'], packages: [] },
  'load/execution': { rooms: ['model', 'pipelines', 'load/model'], packages: [] },
  'load/insert': { rooms: [...loadParts, 'database'], packages: [] },
  'load/query': { rooms: [...loadParts, 'sql'], packages: [] },
  'load/subscribe': { rooms: loadParts, packages: ['ix'] },
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

/** The room that a file is in: the innermost of those with a door; files of the hall are in none. */
function roomOf(name: string): string {
  const parts = name.split('/').slice(0, -1);
  while (parts.length > 0 && !(parts.join('/') in doors)) parts.pop();
  return parts.join('/') || (name.includes('/') ? (name.split('/')[0] ?? '') : '');
}

function isAllowed(target: string, [own, ...rooms]: readonly string[]): boolean {
  return target === own || rooms.some((room) => target === room || target.startsWith(`${room}/`));
}

for (const [room, door] of Object.entries(doors)) {
  test(`the room ${room} imports only through its doors`, (t) => {
    t.true(existsSync(join(root, room)));
    for (const file of sources(join(root, room))) {
      const name = relative(root, file);
      if (roomOf(name) !== room) continue;
      const tools = door.rooms.includes('model') ? ['async'] : [];
      const allowed = [room, 'text', 'bytes', ...tools, ...door.rooms, ...(exceptions[name] ?? [])];
      for (const specifier of imports(file)) {
        if (specifier.startsWith('node:')) continue;
        if (specifier.startsWith('.')) {
          const target = roomOf(relative(root, join(file, '..', specifier)));
          t.true(isAllowed(target, allowed), `${name} must not import ${specifier}`);
        } else {
          t.true(
            door.packages.some((prefix) => specifier.startsWith(prefix)),
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

test('nobody reads ahead with ix, or exits the process', (t) => {
  for (const file of sources(root)) {
    const text = readFileSync(file, 'utf8');
    t.notRegex(text, /process\.exit\(/, file);
    t.notRegex(text, /from 'ix\/asynciterable\/operators\/(flatmap|batch)/, file);
  }
});

test('nobody drains an async iterable through rxjs, which takes all of it at once', (t) => {
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
  for (const room of ['http', 'sinks']) {
    for (const file of sources(`${root}/${room}`)) {
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
