import { setFlagsFromString } from 'node:v8';

/**
 * Has the readers of points compiled as a whole. V8 puts a function into its caller until the caller has grown by so many
 * bytes of bytecode; with its own limit of 920 the many small functions that a line goes through fit in part only, and which
 * of them do is settled by chance at every start, partly by loops that are compiled while they run. See docs/decisions/014.
 *
 * Call it before anything is read: it counts for what is compiled afterwards.
 */
export function compileReadersWhole(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=6000');
  setFlagsFromString('--no-use-osr');
}
