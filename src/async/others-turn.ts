const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. Long works wait here between their slices. One of them goes on per turn, in the order
 * in which they came, so that slices of several works do not add up to one long turn.
 */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiting.shift()!();
  // An immediate that is set in one belongs to the turn after it.
  if (waiting.length > 0) setImmediate(resumeOne);
}
