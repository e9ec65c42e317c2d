/** Kinds of documents that people keep: what the page shows as dashboards, and statements with a name. */
export type DocumentKind = 'dashboard' | 'saved-query';

/** Kinds of documents that the database keeps: those, rules of events, and silences of rules. */
export type StoredKind = DocumentKind | 'rule' | 'silence';

/** A document without its content. */
export interface DocumentDef {
  readonly kind: StoredKind;
  readonly id: string;
  readonly name: string;
  /** Who made it, and may change it. */
  readonly owner: string;
  /** True if all users may read it. */
  readonly isShared: boolean;
  /** 1 at first, and one more with each change. */
  readonly version: number;
  /** The content of this version: its key in the table of contents, a 64-bit number as digits. */
  readonly content: string;
  /** Unix ms. */
  readonly created: number;
  /** Unix ms. */
  readonly updated: number;
  readonly updatedBy: string;
}

/** A document in a list, as one user sees it. Times are Unix ms. */
export interface ListedDocument {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly shared: boolean;
  readonly version: number;
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly updatedBy: string;
  /** True if this user may change and delete it. */
  readonly mayChange: boolean;
}

/** A document with its content, which is JSON. */
export interface WholeDocument extends ListedDocument {
  readonly content: unknown;
}

/** A document as a client sends it. */
export interface SentDocument {
  readonly name: string;
  readonly shared: boolean;
  readonly content: object;
}
