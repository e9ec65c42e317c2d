import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Flags of V8 that differ in the processes that take writes, by whether the heap is large; see docs/decisions/014.
 *
 * A small heap may grow to three times what was alive before all of it is searched. Buffers of bodies and columns count as heap,
 * but are freed with the youngest objects; with V8's own, smaller steps they set off one search of the whole heap after
 * the other. A large heap may grow by half, which is far more than those buffers.
 *
 * While the heap is small, the room of the youngest objects stays as small as it is. V8 would make it grow to 32 MB, and on newer
 * versions to 128 MB. A heap that gains objects that stay, such as names of new series, would be searched too often with so little room.
 */
const flagsOf = {
  small: ['--heap-growing-percent=200', '--semi-space-growth-factor=1'],
  large: ['--heap-growing-percent=50', '--semi-space-growth-factor=2'],
} as const;
/** Largest heap, in bytes, that counts as small: 30 MB that are in use, before all of them are searched. */
const smallHeapBytes = 96 * 1024 * 1024;
/** How often the size of the heap is looked at, in ms. */
const lookMs = 250;

/** Sets the flags above. Call it before anything is read: they count for what is collected afterwards. */
export function setRuntimeFlags(): void {
  let size: keyof typeof flagsOf = 'small';
  const set = (): void => {
    for (const flag of flagsOf[size]) setFlagsFromString(flag);
  };
  set();
  const timer = setInterval(() => {
    const now = getHeapStatistics().used_heap_size > smallHeapBytes ? 'large' : 'small';
    if (now === size) return;
    size = now;
    set();
  }, lookMs);
  timer.unref();
}
