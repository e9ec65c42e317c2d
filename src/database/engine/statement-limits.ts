/** Statements above this length need the server's limit raised. */
const plainStatementBytes = 128 * 1024;

/** Statements up to this length stay within what a server's parser does by default, however they are nested. */
const flatStatementBytes = 1000;
const parserLimits = { max_parser_depth: '10000', max_parser_backtracks: '100000000' } as const;

/** Limits of the parser of a server that a statement needs raised, as parameters of its request. */
export function limitsFor(sql: string): Readonly<Record<string, string>> {
  const size = sql.length > plainStatementBytes ? { max_query_size: String(sql.length * 4) } : {};
  return sql.length > flatStatementBytes ? { ...size, ...parserLimits } : size;
}
