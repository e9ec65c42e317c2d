/**
 * Starts work that no code awaits. A rejection goes to `failed`, which must not throw; unhandled, it would end the
 * process. Without `failed` a rejection is a defect of the program: the process prints it as a warning on its error
 * output and continues.
 */
export function detached(work: Promise<unknown>, failed: (error: unknown) => void = warn): void {
  work.catch(failed);
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
