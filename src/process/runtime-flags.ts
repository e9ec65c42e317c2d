import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Flags of V8 that differ in the processes that take writes, by whether the heap is large; see docs/decisions/014.
 *
 * A small heap may grow to three times its live bytes before a full garbage collection. Buffers of bodies and columns
 * count as heap, but die young. With V8's own, smaller steps they trigger one full collection after the other. A large
 * heap may grow by half, which is far more than those buffers.
 *
 * While the heap is small, the young generation keeps its first size. V8 would let it grow to 32 MB, and newer versions
 * to 128 MB. A heap that gains long-lived objects, such as names of new series, needs a larger one.
 */
const flagsByHeapSize = {
  small: ['--heap-growing-percent=200', '--semi-space-growth-factor=1'],
  large: ['--heap-growing-percent=50', '--semi-space-growth-factor=2'],
} as const;
/** Largest heap, in bytes, that counts as small: 30 MB of live objects, grown to three times that. */
const smallHeapBytes = 96 * 1024 * 1024;
/** How often the size of the heap is checked, in ms. */
const checkIntervalMs = 250;

/**
 * Sets the flags above, and changes them when the heap crosses the limit. They apply to the collections that follow.
 */
export function setRuntimeFlags(): void {
  let size: keyof typeof flagsByHeapSize = 'small';
  const set = (): void => {
    for (const flag of flagsByHeapSize[size]) setFlagsFromString(flag);
  };
  set();
  const timer = setInterval(() => {
    const current = getHeapStatistics().used_heap_size > smallHeapBytes ? 'large' : 'small';
    if (current === size) return;
    size = current;
    set();
  }, checkIntervalMs);
  timer.unref();
}
