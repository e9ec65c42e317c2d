import type { Span } from './tree.js';

/** Throws a mistake at a place of a query. */
export type Refuse = (span: Span, message: string) => never;
