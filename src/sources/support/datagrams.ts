import { lineFeed } from '../../bytes/ascii.js';
import type { ComponentLog, CreditGate } from '../../model/component.js';

/** Bounds of what waits in a {@link DatagramQueue}. */
interface DatagramLimits {
  readonly maxPending: number;
  readonly maxPendingBytes: number;
}

/** How datagrams stand in a block: each a line or several, ended by a line feed, or each behind its length in two bytes. */
type DatagramFraming = 'lines' | 'lengths';

/** Most bytes of one block. */
const blockBytes = 256 * 1024;

/**
 * Gathers datagrams into blocks: those that arrive in one turn of the event loop go on together once the gate is open.
 * A sender of datagrams cannot be made to wait, so those that find no room, or a gate that is held, are shed and counted.
 */
export class DatagramQueue {
  /** Datagrams taken, and those for which there was no room. */
  received = 0;
  shed = 0;
  readonly #framing: DatagramFraming;
  readonly #limits: DatagramLimits;
  readonly #gate: Pick<CreditGate, 'opened' | 'isHeld'>;
  readonly #log: Pick<ComponentLog, 'error'>;
  readonly #emit: (block: Buffer, datagrams: number) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #pumping = false;
  #flushed = false;

  constructor(
    framing: DatagramFraming,
    limits: DatagramLimits,
    gate: Pick<CreditGate, 'opened' | 'isHeld'>,
    log: Pick<ComponentLog, 'error'>,
    emit: (block: Buffer, datagrams: number) => void,
  ) {
    this.#framing = framing;
    this.#limits = limits;
    this.#gate = gate;
    this.#log = log;
    this.#emit = emit;
  }

  /** Takes a datagram, or sheds it. */
  add(datagram: Buffer): void {
    const { maxPending, maxPendingBytes } = this.#limits;
    if (
      this.#gate.isHeld ||
      this.#waiting.length >= maxPending ||
      this.#waitingBytes + datagram.length > maxPendingBytes
    ) {
      this.#shed();
      return;
    }
    this.received++;
    this.#waiting.push(datagram);
    this.#waitingBytes += datagram.length;
    if (!this.#pumping) {
      this.#pumping = true;
      setImmediate(() => void this.#pump());
    }
  }

  /** Counts a datagram that is shed, with one line in the log at the first and at every so many more. */
  #shed(): void {
    const limit = this.#limits.maxPending;
    const shed = ++this.shed;
    if (shed !== 1 && shed % limit !== 0) return;
    this.#log.error({ shed, limit }, 'Datagrams are shed: too many wait to be read, or memory is short.');
  }

  /** Sends on what waits, whatever the gate says: it is in memory already, and there is no later any more. */
  flush(): void {
    this.#flushed = true;
    while (this.#waiting.length > 0) this.#send();
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gate.opened();
      if (this.#flushed) return;
      this.#send();
    }
    this.#pumping = false;
  }

  #send(): void {
    const waiting = this.#waiting;
    let count = 0;
    let length = 0;
    while (count < waiting.length && (count === 0 || length + waiting[count]!.length + 2 <= blockBytes)) {
      length += waiting[count]!.length + (this.#framing === 'lines' ? 1 : 2);
      count++;
    }
    const block = Buffer.allocUnsafe(length);
    let at = 0;
    for (let i = 0; i < count; i++) {
      const datagram = waiting[i]!;
      if (this.#framing === 'lengths') at = block.writeUInt16BE(datagram.length, at);
      at += datagram.copy(block, at);
      this.#waitingBytes -= datagram.length;
      if (this.#framing === 'lines' && datagram[datagram.length - 1] !== lineFeed) block[at++] = lineFeed;
    }
    this.#waiting = count === waiting.length ? [] : waiting.slice(count);
    this.#emit(at === length ? block : block.subarray(0, at), count);
  }
}
