import { setFlagsFromString } from 'node:v8';

/**
 * A flag of V8 that differs in this process; see docs/decisions/014.
 *
 * The heap may grow to three times what was alive before all of it is searched. Buffers of bodies and columns count as heap,
 * but are freed with the youngest objects; with V8's own, smaller steps they set off one search of the whole heap after
 * the other.
 */
const flag = '--heap-growing-percent=200';

/** Sets the flag above. Call it before anything is read: it counts for what is collected afterwards. */
export function setRuntimeFlags(): void {
  setFlagsFromString(flag);
}
