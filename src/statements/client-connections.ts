import type { Access } from '../database/catalogue/rights.js';
import type { ClientConnection } from '../model/exchange.js';
import type { ListedConnection } from './lists/system-table.js';

/** Ids of connections begin here, where those of statements over HTTP, which the list has too, do not come. */
const firstId = 2 ** 31;
/** How many processes have ids of their own, and how many ids each of them has. */
const processes = 2 ** 8;
const idsOfProcess = 2 ** 23;

/** The connections that clients of this process keep open, for SHOW CONNECTIONS and KILL CONNECTION. */
export class ClientConnections {
  readonly #open = new Map<number, ClientConnection>();
  readonly #firstId: number;
  #count = 0;

  /** Connections of processes with different numbers have different ids. */
  constructor(processNumber: number) {
    this.#firstId = firstId + (processNumber % processes) * idsOfProcess;
  }

  /** Lists a connection; gives what takes it off the list. */
  add(connection: ClientConnection): () => void {
    let id = this.#nextId();
    while (this.#open.has(id)) id = this.#nextId();
    this.#open.set(id, connection);
    return () => this.#open.delete(id);
  }

  #nextId(): number {
    return this.#firstId + (this.#count++ % idsOfProcess);
  }

  /** All of them. */
  get all(): readonly ListedConnection[] {
    return [...this.#open].map(([id, { user, application, connector, address, began, lastUsed }]) => ({
      pid: process.pid,
      id,
      user,
      application: application(),
      connector: connector(),
      address,
      began,
      lastUsed: lastUsed(),
    }));
  }

  /** Closes a connection, if there is one of this id that the user may see. */
  kill(id: number, { isAdministrator, user }: Access): void {
    const connection = this.#open.get(id);
    if (isAdministrator || connection?.user === user) connection?.kill();
  }
}
