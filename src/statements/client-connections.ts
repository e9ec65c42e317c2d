import type { Access } from '../database/catalogue/rights.js';
import type { ClientConnection } from '../model/exchange.js';
import type { ListedConnection } from './lists/system-table.js';

/** Ids of connections begin here, where those of statements over HTTP, which the list has too, do not come. */
const firstId = 2 ** 31;

/** The connections that clients of this process keep open, for SHOW CONNECTIONS and KILL CONNECTION. */
export class ClientConnections {
  readonly #open = new Map<number, ClientConnection>();
  #count = 0;

  /** Lists a connection; gives what takes it off the list. */
  add(connection: ClientConnection): () => void {
    const id = firstId + (this.#count++ % firstId);
    this.#open.set(id, connection);
    return () => this.#open.delete(id);
  }

  /** The connections that a user may see: the user's own; an administrator sees all. */
  visibleTo({ isAdministrator, user }: Access): readonly ListedConnection[] {
    const listed = [...this.#open].filter(([, connection]) => isAdministrator || connection.user === user);
    return listed.map(([id, { user: owner, application, connector, address, began, lastUsed }]) => ({
      id,
      user: owner,
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
