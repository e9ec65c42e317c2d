import type { Delivery } from '../../model/delivery.js';
import { faultOf } from '../../model/fault.js';
import type { WriteAheadLog } from '../../wal/log.js';
import type { RejectedRowsFile } from '../../wal/rejected-rows.js';
import type { Place } from '../../wal/segment.js';
import { type LoggedBlock, pairOf } from './groups.js';

/** Answered rows on their way to the file of rejected rows. Until they are there they have not ended, and stay in the log. */
export class Rejections {
  readonly #wal: Pick<WriteAheadLog, 'read'>;
  readonly #file: RejectedRowsFile;
  readonly #open = new Map<string, Promise<boolean>>();

  constructor({ wal, rejected }: { readonly wal: Pick<WriteAheadLog, 'read'>; readonly rejected: RejectedRowsFile }) {
    this.#wal = wal;
    this.#file = rejected;
  }

  /** Rows on their way: true once they are in the file, false where the service ends before that. Undefined for all others. */
  of(rows: LoggedBlock): Promise<boolean> | undefined {
    return this.#open.size === 0 ? undefined : this.#open.get(pairOf(rows));
  }

  /** Rejects rows whose text is at a place of the log; `kept` is called once they are in the file. */
  add(rows: LoggedBlock, place: Place, delivery: Delivery, kept: () => void): void {
    const pair = pairOf(rows);
    const before = this.#open.get(pair) ?? true;
    const adding = Promise.all([before, this.#write(rows, place, delivery)]).then((all) => all.every(Boolean));
    this.#open.set(pair, adding);
    void adding.then((isKept) => {
      if (this.#open.get(pair) === adding) this.#open.delete(pair);
      if (isKept) kept();
    });
  }

  async #write({ payload: { table, rows } }: LoggedBlock, place: Place, delivery: Delivery): Promise<boolean> {
    const text = await this.#wal.read(place).catch(() => undefined);
    if (text === undefined) return true;
    const fault = 'fault' in delivery ? delivery.fault : faultOf(delivery.outcome);
    return this.#file.add({ text, table, rows, fault });
  }
}
