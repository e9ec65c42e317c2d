import ava, { type ExecutionContext } from 'ava';
import { processorSeconds, recordStep } from './worker.js';

type Implementation = (t: ExecutionContext, ...args: readonly unknown[]) => unknown;
// biome-ignore lint/complexity/noBannedTypes: AVA's chain is a tree of functions with properties.
type Chain = Function & Readonly<Record<string, unknown>>;

/** Resolves when all files that have been entered so far have ended. */
let lastTurn = Promise.resolve();
const nothingRuns: (() => void)[] = [];
const declarations: (() => void)[] = [];
let declare: Chain | typeof ava = ava;

/**
 * Lets the test file that is read next declare its tests here: what it imports as `ava` is then AVA's own `test`, with the file's
 * name in front of its titles. File comes after file; within a file everything is as ever: what is before its tests, serial
 * tests one after the other, the others side by side, what is after its tests.
 */
export function enter(file: string): void {
  declare = declarer(file);
}

/** Declares the tests of all files, in their order: AVA wants all of them at once, and some files wait for something while they are read. */
export function declareAll(): void {
  for (const check of nothingRuns) check();
  for (const declaration of declarations) declaration();
}

/** What a test file imports as `ava`, in a process of its own, too. */
export default new Proxy(ava, {
  apply: (_target, _this, args) => Reflect.apply(declare, undefined, args),
  get: (_target, name) => Reflect.get(declare, name),
});

function declarer(file: string): Chain {
  const filesBefore = lastTurn;
  let end = (): void => {};
  lastTurn = new Promise((resolve) => {
    end = resolve;
  });
  // A file of which nothing runs ends its turn by itself.
  nothingRuns.push(() => {
    if (waiting === 0) filesBefore.then(end, end);
  });
  const before: Implementation[] = [];
  const after: Implementation[] = [];
  /** Tests that have not ended. */
  let waiting = 0;
  let began: { readonly at: number; readonly processor: number } | undefined;
  let opened: Promise<void> | undefined;
  /** Resolves when the serial tests that were declared so far have ended. */
  let serialTests = Promise.resolve();

  /** Begins the file's turn with its first test. */
  async function open(t: ExecutionContext): Promise<void> {
    await filesBefore;
    recordStep({ file });
    began = { at: performance.now(), processor: processorSeconds() };
    for (const hook of before) await hook(t);
  }

  /** Runs a test once its file's turn has come, and ends the turn with the last one. */
  function inTurn(run: Implementation, path: readonly string[]): Implementation {
    waiting++;
    let ended = (): void => {};
    const earlier = serialTests;
    const isSerial = path.includes('serial');
    if (isSerial) {
      serialTests = new Promise((resolve) => {
        ended = resolve;
      });
    }
    return async (t, ...args) => {
      try {
        // With `only` most tests do not run, so nobody can wait for them.
        if (path.includes('only')) for (const hook of before) await hook(t);
        else {
          opened ??= open(t);
          await opened;
          await (isSerial ? earlier : serialTests);
        }
        return await run(t, ...args);
      } finally {
        ended();
        if (--waiting === 0) await close(t);
      }
    };
  }

  /** Ends the file's turn: runs what it does after its tests, as part of the last one. */
  async function close(t: ExecutionContext): Promise<void> {
    try {
      for (const hook of after) await hook(t);
    } finally {
      const { at, processor } = began ?? { at: performance.now(), processor: processorSeconds() };
      recordStep({ file, seconds: (performance.now() - at) / 1000, processorSeconds: processorSeconds() - processor });
      filesBefore.then(end, end);
    }
  }

  /** AVA's function or one of its variants, such as `test.serial`, with titles and turns. */
  function variant(path: readonly string[]): Chain {
    const target = path
      .filter((name) => name !== 'serial')
      .reduce((chain: unknown, name) => (chain as Chain)[name], ava);
    const original = path.reduce((chain: unknown, name) => (chain as Chain)[name], ava) as Chain;
    return new Proxy(original, {
      apply(_target, _this, args: readonly unknown[]) {
        const [first, ...rest] = args;
        if (path.includes('before') || path.includes('after')) {
          return void (path.includes('before') ? before : after).push(args.at(-1) as Implementation);
        }
        if (typeof first !== 'string') throw new TypeError(`A test in ${file} has no title.`);
        const title = `${file.replaceAll('/', ' › ')} › ${first}`;
        if (path.includes('skip') || path.includes('todo')) {
          return declarations.push(() => (target as Chain)(title, ...rest));
        }
        const [run, ...more] = rest as [Implementation, ...unknown[]];
        const wrapped = inTurn(run, path);
        return declarations.push(() => (target as Chain)(title, wrapped, ...more));
      },
      get(_target, name) {
        const value = Reflect.get(original, name);
        return typeof name === 'string' && typeof value === 'function' && name !== 'macro'
          ? variant([...path, name])
          : value;
      },
    }) as Chain;
  }

  return variant([]);
}
