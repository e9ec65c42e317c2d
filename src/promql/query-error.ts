/** Kinds of errors in the words of Prometheus' HTTP API. */
type QueryErrorKind = 'bad_data' | 'execution' | 'timeout' | 'canceled';

/**
 * An error of a query that its sender can understand: a mistake in its text, a limit, or values that do not fit
 * together.
 */
export class QueryError extends Error {
  readonly kind: QueryErrorKind;

  constructor(kind: QueryErrorKind, message: string) {
    super(message);
    this.name = 'QueryError';
    this.kind = kind;
  }
}
