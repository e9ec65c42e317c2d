import { isStaleSchema } from '../../database/store/stale-schema.js';
import { expectedFault } from '../../model/fault.js';

/** When every process has read a drop. */
const everybodyKnowsMs = 2_000;
/** How often a removal that fails is repeated; what is left then is removed at the next start. */
const maxRepeats = 100;

/**
 * Runs the removal of something that was dropped, and runs it once more when every process has read the drop: a writer
 * with an older catalogue may have stored rows meanwhile. The drop stands in any case, so a removal that fails is an
 * error for the caller, but is repeated until it works.
 */
export async function removeThoroughly(remove: () => Promise<void>): Promise<void> {
  const removal = ofWhatIsThere(remove);
  try {
    await removal();
  } finally {
    removeAgain(removal, maxRepeats);
  }
}

/**
 * Like {@link removeThoroughly} for what is invisible once it was dropped, so that the caller need not wait: it runs
 * when every process has read the drop. What a process that ends before that leaves is removed at the next start.
 */
export function removeLater(remove: () => Promise<void>): void {
  removeAgain(ofWhatIsThere(remove), maxRepeats);
}

/** Storage that was never made, or that a drop of something larger has removed already, holds nothing. */
function ofWhatIsThere(remove: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await remove();
    } catch (error) {
      if (!isStaleSchema(expectedFault(error))) throw error;
    }
  };
}

function removeAgain(remove: () => Promise<void>, repeats: number): void {
  const timer = setTimeout(() => {
    remove().catch(() => {
      if (repeats > 0) removeAgain(remove, repeats - 1);
    });
  }, everybodyKnowsMs);
  timer.unref();
}
