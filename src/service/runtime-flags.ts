import { setFlagsFromString } from 'node:v8';

/**
 * Flags of V8 that differ in this process; see docs/decisions/014.
 *
 * Readers of points are compiled as a whole. V8 puts a function into its caller until the caller has grown by so many
 * bytes of bytecode; with its own limit of 920 the many small functions that a line goes through fit in part only, and which
 * of them do is settled by chance at every start, partly by loops that are compiled while they run.
 *
 * The heap may grow to three times what was alive before all of it is searched. Buffers of bodies and columns count as heap,
 * but are freed with the youngest objects; with V8's own, smaller steps they set off one search of the whole heap after
 * the other.
 */
const flags = ['--max-inlined-bytecode-size-cumulative=2000', '--no-use-osr', '--heap-growing-percent=200'] as const;

/** Sets the flags above. Call it before anything is read: it counts for what is compiled and collected afterwards. */
export function setRuntimeFlags(): void {
  for (const flag of flags) setFlagsFromString(flag);
}
