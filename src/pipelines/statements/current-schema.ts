import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { isOvertaken } from '../../database/storage/overtaken.js';
import type { Storage } from '../../database/storage/storage.js';
import { type Fault, FaultError } from '../../model/fault.js';

/**
 * Another process may have changed or dropped a table a moment ago: what fails in a way that newer definitions may mend
 * is tried once more with them. `isOutOfDate` tells such faults.
 */
export async function withCurrentSchema<T>(
  { catalogue, storage }: { readonly catalogue: Catalogue; readonly storage: Storage },
  run: () => Promise<T>,
  isOutOfDate: (failure: Fault) => boolean = isOvertaken,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof FaultError) || !isOutOfDate(error.fault)) throw error;
    if (isOvertaken(error.fault)) storage.forget();
    await catalogue.sync();
    return run();
  }
}
