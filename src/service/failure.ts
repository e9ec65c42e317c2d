import { deferred } from '../async/deferred.js';

/** The end of a service that can write no more. */
export class Failure {
  readonly #first = deferred<unknown>();
  /** Resolves with what went wrong first. */
  readonly happened = this.#first.promise;
  /** To be called with what went wrong. */
  readonly fail = this.#first.resolve;
}
