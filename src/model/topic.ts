/** Source of a topic. */
export type TopicSource =
  /** Rows of one table: of a query, or whole ones. */
  | {
      readonly kind: 'query' | 'table';
      /** The query, or the condition on tags; undefined is none. */
      readonly text: string | undefined;
      readonly table: string;
      /** The super table of a sub-table, otherwise the table itself. */
      readonly parent: string;
      /** Columns and tags that the rows or the conditions need: as long as the topic exists, they stay as they are. */
      readonly columns: readonly string[];
      /** Database of names in the text that have none. */
      readonly current: string | undefined;
    }
  | { readonly kind: 'database' };

/** A query, table or database whose rows consumers get as they are written. */
export interface TopicDef {
  /** Unique over the life of the installation: a topic made anew under a name has other consumers. */
  readonly id: string;
  readonly name: string;
  /** Database of what it delivers. */
  readonly database: string;
  readonly source: TopicSource;
  /** The statement that made it. */
  readonly statement: string;
  /** Columns of its rows, as `ins_topics` shows them. */
  readonly schema: string;
  readonly meta: boolean;
  /** IANA zone of time texts without one in its conditions. */
  readonly zone: string;
  /** Who made it. */
  readonly user: string;
  /** Unix ms. */
  readonly created: number;
}
