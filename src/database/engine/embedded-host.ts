import { type BufferBudget, BufferedResult } from './buffered-result.js';
import type { InsertData } from './engine.js';
import { isFileMissing } from './engine-faults.js';
import { Handover, type HostDirectory } from './handover.js';
import { HostChannel } from './host-channel.js';
import type { Effect, EngineQuery, HostRequest, Insert } from './request.js';
import type { QueryOptions, StatementOptions, Transport } from './transport.js';

/** The engine host on this machine, reached by the socket in its directory. */
export class EmbeddedHost implements Transport {
  readonly countsLog = true;
  readonly isServer = false;
  readonly #channel: HostChannel;
  readonly #handover: Handover;

  /** `directory` gives that of the running host, undefined while there is none. */
  constructor(directory: () => HostDirectory | undefined, budget: BufferBudget) {
    this.#channel = new HostChannel(directory, budget);
    this.#handover = new Handover(directory);
  }

  query(query: EngineQuery, { signal, owner }: QueryOptions): Promise<Buffer | BufferedResult> {
    return this.#channel.send({ kind: 'query', ...query, owner }, { signal });
  }

  change(statement: string, effect: Effect, { signal }: StatementOptions): Promise<void> {
    return this.#run({ kind: 'change', statement, effect }, signal);
  }

  async insert(
    insert: Insert,
    data: InsertData,
    { signal, logEntries }: StatementOptions & { readonly logEntries?: number | undefined },
  ): Promise<void> {
    const request = { kind: 'insert', insert, logEntries } as const;
    const rows = data instanceof Uint8Array ? [data] : data;
    const file = this.#handover.put(rows);
    if (file === undefined) return this.#run(request, signal, rows);
    let wereRead = false;
    try {
      await this.#run({ ...request, file: file.name }, signal);
      wereRead = true;
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      await this.#run(request, signal, rows);
    } finally {
      file.end(wereRead);
    }
  }

  makeRoom(): Promise<void> {
    return this.#run({ kind: 'make-room' }, undefined);
  }

  ping(): Promise<void> {
    return this.#run({ kind: 'ping' }, undefined);
  }

  refuseAll(reason: string | undefined): void {
    this.#channel.refuseAll(reason);
  }

  close(): void {
    this.#channel.close();
    this.#handover.close();
  }

  async #run(request: HostRequest, signal: AbortSignal | undefined, rows: readonly Uint8Array[] = []): Promise<void> {
    const result = await this.#channel.send(request, { signal, rows });
    // A statement without a result has no pieces.
    if (result instanceof BufferedResult) await result.return();
  }
}
