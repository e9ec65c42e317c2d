import { Subject } from 'rxjs';
import { nowMicros } from '../../async/clock.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { Batch, RowSet, Target } from '../../model/batch.js';
import type { ReadGate } from '../../model/component.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import type { Fault } from '../../model/fault.js';
import type { StatementRows } from '../../statements/row-writer.js';

/** The input of statements: their rows come as column blocks. */
export class StatementRowsSource {
  readonly batches$ = new Subject<Batch<RowSet>>();
  readonly #catalogue: Catalogue;
  readonly #gate: Pick<ReadGate, 'opened'>;
  readonly #broken: Fault;

  /** `broken` is the fault of rows that come once no stage takes them. */
  constructor(catalogue: Catalogue, gate: Pick<ReadGate, 'opened'>, broken: Fault) {
    this.#catalogue = catalogue;
    this.#gate = gate;
    this.#broken = broken;
  }

  /** Ends the input. */
  complete(): void {
    this.batches$.complete();
  }

  /** Writes the rows of one statement while the gate is open; resolves when they are logged, or else stored. */
  async write({ blocks, user, bytes, statement, ack }: StatementRows): Promise<Delivery> {
    const [first] = blocks;
    if (first === undefined) return delivered(0);
    // As it was when the statement was scanned, which is just before.
    const epoch = Math.max(...blocks.map(({ database }) => this.#catalogue.epoch(database)));
    const target: Target = {
      database: statement?.database ?? first.database,
      user,
      createDatabase: false,
      ttl: 0,
      precision: 'ns',
      reading: { epoch, nowMicros: nowMicros() },
      ...(ack === undefined ? {} : { ack }),
    };
    const text = statement === undefined ? {} : { text: statement };
    const payload: RowSet = { kind: 'rows', blocks, ...text, rejectedRows: 0, rejects: [] };
    const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
    await this.#gate.opened();
    if (!this.batches$.observed) return { outcome: 'failed', fault: this.#broken };
    return new Promise((settle) => this.batches$.next({ origin: 'sql', target, payload, rows, bytes, settle }));
  }
}
