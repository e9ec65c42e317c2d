import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Flags of V8 that differ in the processes that take writes; see docs/decisions/014.
 *
 * The heap may grow to three times what was alive before all of it is searched. Buffers of bodies and columns count as heap,
 * but are freed with the youngest objects; with V8's own, smaller steps they set off one search of the whole heap after
 * the other.
 */
const wholeHeap = '--heap-growing-percent=200';

/**
 * While the heap is small, the room of the youngest objects stays as small as it is. V8 would make it grow to 32 MB, and on newer
 * versions to 128 MB. A heap that gains objects that stay, such as names of new series, would be searched too often with so little room.
 */
const youngest = { stays: '--semi-space-growth-factor=1', grows: '--semi-space-growth-factor=2' } as const;
/** Largest heap, in bytes, that counts as small: 30 MB that are in use, before all of them are searched. */
const smallHeapBytes = 96 * 1024 * 1024;
/** How often the size of the heap is looked at, in ms. */
const lookMs = 250;

/** Sets the flags above. Call it before anything is read: they count for what is collected afterwards. */
export function setRuntimeFlags(): void {
  setFlagsFromString(wholeHeap);
  setFlagsFromString(youngest.stays);
  let mayGrow = false;
  const timer = setInterval(() => {
    const isLarge = getHeapStatistics().used_heap_size > smallHeapBytes;
    if (isLarge === mayGrow) return;
    mayGrow = isLarge;
    setFlagsFromString(isLarge ? youngest.grows : youngest.stays);
  }, lookMs);
  timer.unref();
}
