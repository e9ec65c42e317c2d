/** `INSERT INTO d3_0.t7 …`; names in quotes and functions are not read. */
const inserted = /^\s*insert\s+into\s+(?:table\s+)?(?:(\w+)\.)?(\w+)(?:\s*\(|\s*$|\s+\w)/i;
const isKeyword = /^(?:table|function)$/i;

/** A table that an INSERT names. */
interface InsertedTable {
  /** Undefined where the statement names none. */
  readonly database: string | undefined;
  readonly table: string;
}

/** The table that a statement adds rows to; undefined for other statements, and where the name is not plain. */
export function insertedTable(statement: string): InsertedTable | undefined {
  const [, database, table] = inserted.exec(statement) ?? [];
  return table === undefined || isKeyword.test(database ?? table) ? undefined : { database, table };
}
