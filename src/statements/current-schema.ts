import type { Catalogue } from '../database/catalogue/catalogue.js';
import { failedAssumptionOf } from '../database/engine/engine-faults.js';
import { isStaleSchema } from '../database/store/stale-schema.js';
import type { Storage } from '../database/store/storage.js';
import { type Fault, FaultError } from '../model/fault.js';

/**
 * Runs a statement, and once more where the first attempt was planned with outdated knowledge: definitions that another
 * process has changed since (`isOutOfDate` recognises the faults), or an assumption about stored rows that the engine
 * found to be wrong. Only the first attempt may make assumptions.
 */
export async function withCurrentSchema<T>(
  { catalogue, storage }: { readonly catalogue: Catalogue; readonly storage: Storage },
  run: (mayAssume: boolean) => Promise<T>,
  isOutOfDate: (failure: Fault) => boolean = isStaleSchema,
): Promise<T> {
  try {
    return await run(true);
  } catch (error) {
    const assumedTable = failedAssumptionOf(error);
    if (assumedTable !== undefined) storage.assumptionFailed(assumedTable);
    else if (error instanceof FaultError && isOutOfDate(error.fault)) {
      if (isStaleSchema(error.fault)) storage.forget();
      await catalogue.sync();
    } else throw error;
    return run(false);
  }
}
