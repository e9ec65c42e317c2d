import { expectedFault } from '../model/fault.js';

/**
 * Waits for rows that a reader makes visible, unless the disk of the database is full: what is stored is read then, and
 * the rows follow once there is room. Rejects with every other fault.
 */
export async function storedIfRoom(visible: Promise<void> | undefined): Promise<void> {
  try {
    await visible;
  } catch (error) {
    if (expectedFault(error).isDiskFull !== true) throw error;
  }
}
