import { detached } from '../../async/detached.js';
import { Slice } from '../../async/slice.js';
import { lineFeed } from '../../bytes/ascii.js';
import type { ComponentLog, ReadGate } from '../../model/component.js';

/** Bounds of what waits in a {@link DatagramQueue}. */
interface DatagramLimits {
  readonly maxPending: number;
  readonly maxPendingBytes: number;
}

/**
 * How datagrams stand in a block: each a line or several, ended by a line feed, or each behind its length in two bytes.
 */
type DatagramFraming = 'lines' | 'lengths';

/** True for a datagram that others may stand behind in a block: in some formats its last line could go on in them. */
type Joins = (datagram: Buffer) => boolean;

/** Most bytes of one block. */
const blockBytes = 256 * 1024;
const nothing = Buffer.alloc(0);

/**
 * Coalesces datagrams into blocks: those that arrive in one iteration of the event loop are one block once the gate is
 * open. A sender of datagrams cannot be made to wait, so those that find no room, or a gate that is held, are shed and
 * counted.
 */
export class DatagramQueue {
  /** Datagrams taken, and those for which there was no room. */
  received = 0;
  shed = 0;
  readonly #framing: DatagramFraming;
  readonly #limits: DatagramLimits;
  readonly #gate: Pick<ReadGate, 'opened' | 'isHeld'>;
  readonly #log: Pick<ComponentLog, 'error'>;
  readonly #emit: (block: Buffer, datagrams: number) => void;
  readonly #joins: Joins;
  #waiting: Buffer[] = [];
  /** How many of them were sent on. */
  #sent = 0;
  #waitingBytes = 0;
  #pumping = false;
  #flushed = false;

  constructor(
    framing: DatagramFraming,
    limits: DatagramLimits,
    gate: Pick<ReadGate, 'opened' | 'isHeld'>,
    log: Pick<ComponentLog, 'error'>,
    emit: (block: Buffer, datagrams: number) => void,
    joins: Joins = () => true,
  ) {
    this.#framing = framing;
    this.#limits = limits;
    this.#gate = gate;
    this.#log = log;
    this.#emit = emit;
    this.#joins = joins;
  }

  /** Takes a datagram, or sheds it. */
  add(datagram: Buffer): void {
    const { maxPending, maxPendingBytes } = this.#limits;
    if (
      this.#gate.isHeld ||
      this.#waiting.length - this.#sent >= maxPending ||
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
      setImmediate(() => detached(this.#pump()));
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
    while (this.#waiting.length > this.#sent) this.#send();
  }

  async #pump(): Promise<void> {
    const slice = new Slice();
    while (this.#waiting.length > this.#sent) {
      await this.#gate.opened();
      if (this.#flushed) return;
      this.#send();
      if (slice.isOver()) await slice.next();
    }
    this.#pumping = false;
  }

  #send(): void {
    const waiting = this.#waiting;
    const first = this.#sent;
    let end = first;
    let length = 0;
    let mayGoOn = true;
    while (end < waiting.length && mayGoOn) {
      const datagram = waiting[end]!;
      if (end > first && length + datagram.length + 2 > blockBytes) break;
      length += datagram.length + (this.#framing === 'lines' ? 1 : 2);
      mayGoOn = this.#joins(datagram);
      end++;
    }
    const block = Buffer.allocUnsafe(length);
    let at = 0;
    for (let i = first; i < end; i++) {
      const datagram = waiting[i]!;
      if (this.#framing === 'lengths') at = block.writeUInt16BE(datagram.length, at);
      at += datagram.copy(block, at);
      this.#waitingBytes -= datagram.length;
      if (this.#framing === 'lines' && datagram[datagram.length - 1] !== lineFeed) block[at++] = lineFeed;
      waiting[i] = nothing;
    }
    this.#sent = end;
    // Not with each block, which may be short: what waits would be copied as often.
    if (2 * end >= waiting.length) {
      this.#waiting = waiting.slice(end);
      this.#sent = 0;
    }
    this.#emit(at === length ? block : block.subarray(0, at), end - first);
  }
}
