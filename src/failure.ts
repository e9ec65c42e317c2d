/** The end of a service that can write no more. */
export class Failure {
  /** Resolves with what went wrong first. */
  readonly happened: Promise<unknown>;
  /** To be called with what went wrong. */
  readonly fail: (error: unknown) => void;

  constructor() {
    let fail = (_error: unknown): void => {};
    this.happened = new Promise((resolve) => {
      fail = resolve;
    });
    this.fail = fail;
  }
}
