import type { StreamDef, TsmaDef } from '../../model/derivation.js';
import type { DocumentDef } from '../../model/document.js';
import type { Right } from '../../model/rights.js';
import type { ColumnDef, EncodingWords, Precision } from '../../model/schema.js';
import type { SentMetric } from '../../model/sent-name.js';
import type { TopicDef } from '../../model/topic.js';

/** A requested column or tag, before the catalogue gives it a physical name. */
export type ColumnSpec = Omit<ColumnDef, 'physical'>;

/**
 * An operation on the catalogue. Operations are appended to one log in the engine and folded in log order by every
 * process, so they must be complete in themselves and their effect must depend on the state before them alone.
 */
export type Operation =
  | {
      readonly op: 'create-database';
      readonly name: string;
      readonly precision: Precision;
      readonly keepDays: number;
      readonly options: Readonly<Record<string, string>>;
      /** Who made it and may do everything with it; absent is the administrator. */
      readonly owner?: string;
    }
  | {
      readonly op: 'alter-database';
      readonly name: string;
      readonly keepDays: number | undefined;
      readonly options: Readonly<Record<string, string>>;
    }
  /** Drops carry the id of what they mean, so that they never hit something that was made anew under the same name. */
  | { readonly op: 'drop-database'; readonly name: string; readonly id: string }
  | {
      readonly op: 'create-table';
      readonly database: string;
      readonly name: string;
      readonly kind: 'super' | 'normal';
      readonly timeColumn: string;
      readonly timeEncoding?: EncodingWords;
      readonly columns: readonly ColumnSpec[];
      readonly tags: readonly ColumnSpec[];
      readonly comment: string | undefined;
      readonly ttl: number;
    }
  /**
   * Growth for arriving data: creates the super table, adds columns and tags, widens strings; never narrows or drops.
   */
  | {
      readonly op: 'extend-table';
      readonly database: string;
      readonly name: string;
      readonly timeColumn: string;
      readonly columns: readonly ColumnSpec[];
      readonly tags: readonly ColumnSpec[];
      /** The metric whose rows arrive, where others could have the same table. */
      readonly sentAs?: SentMetric;
      /** By what a table that is made shares its storage; older logs leave it out, where tables of one column share. */
      readonly shares?: 'shape';
    }
  | { readonly op: 'drop-table'; readonly database: string; readonly name: string; readonly id: string }
  | {
      readonly op: 'drop-sub-table';
      readonly database: string;
      readonly superTable: string;
      readonly name: string;
      /** Generation that is dropped: how many sub-tables of this name were dropped before it. */
      readonly generation: number;
      /**
       * Names the removal of its rows, which queries leave out until it is over; older logs, which removed them at
       * once, have none.
       */
      readonly removal?: string;
    }
  /** No rows are left of sub-tables that were dropped under these removals; `name` is that of their super table. */
  | {
      readonly op: 'rows-removed';
      readonly database: string;
      readonly name: string;
      readonly removals: readonly string[];
    }
  | {
      readonly op: 'create-view';
      readonly database: string;
      readonly name: string;
      readonly text: string;
      /** Database of tables that the text names without one. */
      readonly current: string | undefined;
      readonly user: string;
      /** Takes the place of a view of this name. */
      readonly replace: boolean;
    }
  | { readonly op: 'drop-view'; readonly database: string; readonly name: string }
  | { readonly op: 'alter-table'; readonly database: string; readonly name: string; readonly change: TableChange }
  | PrincipalOperation
  | TopicOperation
  | DerivationOperation
  | DocumentOperation
  /** A random secret that all processes on this database share; the first one stands. Base64. */
  | { readonly op: 'create-secret'; readonly secret: string };

/** Operation on topics and on the right to consume them. */
export type TopicOperation =
  | ({ readonly op: 'create-topic' } & Omit<TopicDef, 'id' | 'created'>)
  | { readonly op: 'drop-topic'; readonly name: string }
  | { readonly op: 'grant-topic' | 'revoke-topic'; readonly name: string; readonly user: string };

/** Operation on streams and TSMAs. */
export type DerivationOperation =
  | ({ readonly op: 'create-stream' } & Omit<StreamDef, 'id' | 'paused' | 'created'>)
  | { readonly op: 'drop-stream'; readonly name: string }
  | { readonly op: 'switch-stream'; readonly name: string; readonly paused: boolean }
  | ({ readonly op: 'create-tsma' } & Omit<TsmaDef, 'created'>)
  | { readonly op: 'drop-tsma'; readonly database: string; readonly name: string };

/** Operation on documents; `user` makes the change, `version` is the one that it replaces or removes. */
export type DocumentOperation =
  | ({ readonly op: 'create-document'; readonly user: string } & Pick<
      DocumentDef,
      'kind' | 'id' | 'name' | 'isShared' | 'content'
    >)
  | ({ readonly op: 'replace-document'; readonly user: string } & Pick<
      DocumentDef,
      'kind' | 'id' | 'name' | 'isShared' | 'content' | 'version'
    >)
  | ({ readonly op: 'drop-document' } & Pick<DocumentDef, 'kind' | 'id' | 'version'>);

/** Operation on users, their rights and their tokens. */
export type PrincipalOperation =
  | ({ readonly op: 'create-user'; readonly name: string; readonly passwordHash: string } & UserChange)
  | ({ readonly op: 'alter-user'; readonly name: string } & UserChange)
  | { readonly op: 'drop-user'; readonly name: string }
  | {
      readonly op: 'grant' | 'revoke';
      readonly user: string;
      readonly rights: readonly Right[];
      /** `*` is every database. */
      readonly scope: string;
      /** Absent is every table. */
      readonly table?: string | undefined;
      /** Which sub-tables of a super table, in the dialect's words; absent is all of them. */
      readonly condition?: string | undefined;
    }
  /** `digest` is the SHA-256 of the token, base64: the token itself is kept nowhere. */
  | ({
      readonly op: 'create-token';
      readonly name: string;
      readonly user: string;
      readonly digest: string;
    } & TokenChange)
  | ({ readonly op: 'alter-token'; readonly name: string } & TokenChange)
  | { readonly op: 'drop-token'; readonly name: string };

/** Properties of a user; what is absent stays, or is the default of a new user. */
export interface UserChange {
  readonly passwordHash?: string;
  readonly enabled?: boolean;
  readonly sysinfo?: boolean;
  readonly createDatabase?: boolean;
  readonly addHosts?: readonly string[];
  readonly dropHosts?: readonly string[];
}

/** Properties of a token; what is absent stays, or is the default of a new token. */
export interface TokenChange {
  readonly enabled?: boolean;
  /** Days from the change on; 0 is for ever. */
  readonly ttlDays?: number;
  readonly provider?: string;
  readonly extraInfo?: string;
}

/** One change of a table's definition by a statement. */
export type TableChange =
  | { readonly kind: 'add-column' | 'add-tag' | 'modify-column' | 'modify-tag'; readonly column: ColumnSpec }
  | { readonly kind: 'drop-column' | 'drop-tag'; readonly name: string }
  | { readonly kind: 'rename-column' | 'rename-tag'; readonly from: string; readonly to: string }
  | { readonly kind: 'encode-column'; readonly name: string; readonly encoding: EncodingWords }
  | { readonly kind: 'add-index'; readonly name: string; readonly tag: string }
  | { readonly kind: 'drop-index'; readonly name: string }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'ttl'; readonly days: number };

/** One entry of the log: operations that one process submitted together. */
export interface LogEntry {
  /** Rises with every entry, the same for every reader. */
  readonly position: number;
  /** Unix ms of the submitter's clock. */
  readonly at: number;
  /** Random name by which the submitter finds its own entry. */
  readonly key: string;
  readonly operations: readonly Operation[];
}
