import ava, { type ExecutionContext } from 'ava';
import { declareLater, lastTurn, takeTurn } from './turns.js';
import { processorSeconds, recordEnd } from './worker.js';

/**
 * What a test file imports as `ava` when it shares a process with others (`shared-hook.ts`): AVA's own `test`, with the file's
 * name in front of its titles. The tests of one file run side by side as ever, and file after file; serial tests come first,
 * as always. What it does after its tests is done at the end of its turn.
 */
const file = new URL(import.meta.url).searchParams.get('file') ?? '';

type Implementation = (t: ExecutionContext, ...args: readonly unknown[]) => unknown;
// biome-ignore lint/complexity/noBannedTypes: AVA's chain is a tree of functions with properties.
type Chain = Function & Readonly<Record<string, unknown>>;

const before = lastTurn();
const hooks: Implementation[] = [];
const end = takeTurn(() => waiting === 0);
let waiting = 0;
let began: { readonly at: number; readonly processor: number } | undefined;

/** Runs a test once its file's turn has come, and ends the turn with the last one. */
function inTurn(run: Implementation, isFree: boolean): Implementation {
  waiting++;
  return async (t, ...args) => {
    if (!isFree) await before;
    began ??= { at: performance.now(), processor: processorSeconds() };
    try {
      return await run(t, ...args);
    } finally {
      if (--waiting === 0) await endTurn(t, began);
    }
  };
}

/** Runs what the file does after its tests, as part of the last one. */
async function endTurn(t: ExecutionContext, { at, processor }: NonNullable<typeof began>): Promise<void> {
  for (const hook of hooks) await hook(t);
  recordEnd({ file, seconds: (performance.now() - at) / 1000, processorSeconds: processorSeconds() - processor });
  // Only now: tests of the next file must not run before this one's figures are taken.
  before.then(end);
}

/** AVA's function or one of its variants, such as `test.serial`, with titles and turns. */
function variant(path: readonly string[]): Chain {
  const target = path.reduce((chain: unknown, name) => (chain as Chain)[name], ava) as Chain;
  const isHook = path.some((name) => /^(?:before|after)/.test(name));
  const isRun = !isHook && !path.includes('skip') && !path.includes('todo');
  return new Proxy(target, {
    apply(_target, _this, args: readonly unknown[]) {
      const [first, ...rest] = args;
      if (isHook) return void hooks.push(args.at(-1) as Implementation);
      if (typeof first !== 'string') throw new TypeError(`A test in ${file} has no title.`);
      const title = `${file.replaceAll('/', ' › ')} › ${first}`;
      if (!isRun) return declareLater(() => target(title, ...rest));
      const [run, ...more] = rest as [Implementation, ...unknown[]];
      const wrapped = inTurn(run, path.includes('serial') || path.includes('only'));
      return declareLater(() => target(title, wrapped, ...more));
    },
    get(_target, name) {
      const value = Reflect.get(target, name);
      return typeof name === 'string' && typeof value === 'function' && name !== 'macro'
        ? variant([...path, name])
        : value;
    },
  }) as Chain;
}

export default variant([]);
