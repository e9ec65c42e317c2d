import type { ExecutionContext } from 'ava';

/** Ends a test that cannot show anything on this machine. The run counts it as skipped and prints the reason. */
export function skipped(t: ExecutionContext, reason: string): void {
  t.log(`skipped: ${reason}`);
  t.pass();
}
