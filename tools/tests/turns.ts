/** The turns of test files that share a process: each begins when the one before has ended. */
let last = Promise.resolve();
const nothingRuns: (() => void)[] = [];
const declarations: (() => void)[] = [];

/** Resolves when all files that have taken a turn so far have ended. */
export function lastTurn(): Promise<void> {
  return last;
}

/** Takes the next turn; the result ends it. A file of which nothing runs ends it by itself. */
export function takeTurn(isEmpty: () => boolean): () => void {
  let end = (): void => {};
  const before = last;
  last = new Promise((resolve) => {
    end = resolve;
  });
  nothingRuns.push(() => {
    if (isEmpty()) before.then(end);
  });
  return end;
}

/** Keeps a declaration until every file is read: AVA wants all of them at once, and some files wait for something meanwhile. */
export function declareLater(declare: () => void): void {
  declarations.push(declare);
}

/** Declares the tests of all files, in their order. */
export function declareAll(): void {
  for (const check of nothingRuns) check();
  for (const declare of declarations) declare();
}
