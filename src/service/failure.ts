import { deferred } from '../async/deferred.js';

/** The failure of a service that can no longer write. */
export class Failure {
  readonly #first = deferred<unknown>();
  /** Resolves with the first error. */
  readonly happened = this.#first.promise;
  /** Call it with the error. */
  readonly fail = this.#first.resolve;
}
