/** What a caught value says, in a few words: the message of an error, or its name where the system gave it no message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
