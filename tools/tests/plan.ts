import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A test file, as `e2e/lineproto` for `test/e2e/lineproto.test.ts`. */
export interface TestFile {
  readonly name: string;
  /** Takes long: it runs with `npm run test:long`, or when it is asked for by its name. */
  readonly isLong: boolean;
  /** Runs when it is asked for by its name only: others show nearly the same. */
  readonly isRare: boolean;
  /** Name of the process that it shares with other files: its room, its folder where the files share a service, or `engine`. */
  readonly share: string | undefined;
}

/** One process: a file, or the files of a room that share it. */
export interface Share {
  /** As `sql`, or `e2e/lineproto`. */
  readonly name: string;
  readonly files: readonly TestFile[];
}

const ending = '.test.ts';

/**
 * What a file does that cannot be done beside other files in one process: it starts a service, an engine or the load tool, or
 * says so.
 */
const ownProcess =
  /\bstart(?:Service|Engine|EngineHost|Adapter|InProcess)\(|\bnew LoadTool\(|\btest\.(?:beforeEach|afterEach)\b|^\/\/ In a process of its own:/m;

/** What a file does that uses the service of its folder. */
const sharedService = /\bsharedService\(/;

/** What a file does that uses the engine of all such files. */
const sharedEngine = /\bsharedEngine\(/;

/** What a file does that runs another one on a cluster. */
const onCluster = /\bonCluster\(/;

/** All test files in a folder, by name. */
export function findTests(folder: string): readonly TestFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .sort()
    .map((path) => {
      const name = path.slice(0, -ending.length).replaceAll('\\', '/');
      return {
        name,
        isLong: name.endsWith('.long'),
        isRare: name.endsWith('.rare'),
        share: shareOf(name, readFileSync(join(folder, path), 'utf8')),
      };
    });
}

function shareOf(name: string, text: string): string | undefined {
  if (ownProcess.test(text)) return undefined;
  if (onCluster.test(text)) return dirname(name);
  if (/\.(?:long|rare)$/.test(name)) return undefined;
  if (sharedService.test(text)) return dirname(name);
  if (sharedEngine.test(text)) return 'engine';
  return name.startsWith('e2e/') ? undefined : name.split('/')[0];
}

/** The test files that words name, and the words that name none. */
interface Named {
  readonly files: readonly TestFile[];
  readonly unknown: readonly string[];
}

/**
 * Files that one of the words names: a part of their path, or a path as a shell completes it (`test/e2e/lineproto.test.ts`). Where
 * a word names files that take long and others, they are the others, or with `long` those that take long.
 */
export function named(files: readonly TestFile[], words: readonly string[], long = false): Named {
  const chosen = new Set<TestFile>();
  const unknown: string[] = [];
  for (const word of words) {
    const part = word.replace(/^(?:\.\/)?(?:build\/)?test\//, '').replace(/\.test(?:\.[jt]s)?$/, '');
    const matching = files.filter(({ name }) => name.includes(part));
    if (matching.length === 0) unknown.push(part);
    const exact = matching.filter(({ name }) => name === part);
    const fitting = matching.filter(({ isLong, isRare }) => !isRare && isLong === long);
    for (const file of [exact, fitting, matching].find((some) => some.length > 0) ?? []) chosen.add(file);
  }
  return { files: files.filter((file) => chosen.has(file)), unknown };
}

/** Of a file that has not run yet, and of one whose statements go to a service. */
const [usualSeconds, usualServiceSeconds] = [1, 6];
/** A process that would take longer leaves files to further ones, so that the last one to end does not run alone. */
const longestSeconds = 80;

/** Spreads files over processes; those that took longest when they last ran come first. */
export function shares(files: readonly TestFile[], seconds: ReadonlyMap<string, number>): readonly Share[] {
  const took = ({ name }: TestFile): number =>
    seconds.get(name) ?? (name.startsWith('e2e/') ? usualServiceSeconds : usualSeconds);
  const rooms = new Map<string, TestFile[]>();
  const processes: Share[] = [];
  for (const file of files) {
    const { name, share } = file;
    if (share === undefined) processes.push({ name, files: [file] });
    else rooms.set(share, [...(rooms.get(share) ?? []), file]);
  }
  for (const [name, some] of rooms) {
    const parts = spread(some, took);
    for (const [at, part] of parts.entries())
      processes.push({ name: parts.length === 1 ? name : `${name}-${at + 1}`, files: part });
  }
  return processes.sort((one, other) => sum(other.files, took) - sum(one.files, took));
}

/** As few parts as end in time, about as long as each other. */
function spread(files: readonly TestFile[], took: (file: TestFile) => number): readonly (readonly TestFile[])[] {
  const parts = Array.from({ length: Math.ceil(sum(files, took) / longestSeconds) }, (): TestFile[] => []);
  for (const file of files.toSorted((one, other) => took(other) - took(one))) {
    parts.toSorted((one, other) => sum(one, took) - sum(other, took))[0]?.push(file);
  }
  return parts.map((part) => part.toSorted((one, other) => (one.name < other.name ? -1 : 1)));
}

function sum(files: readonly TestFile[], took: (file: TestFile) => number): number {
  return files.reduce((total, file) => total + took(file), 0);
}
