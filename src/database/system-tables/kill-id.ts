/** The name by which KILL QUERY means a running statement: process and statement. */
export function killId(statement: number): string {
  return `${process.pid.toString(16)}:${statement}`;
}

/** The statement that a {@link killId} of this process means; undefined for any other text. */
export function killedStatement(id: string): number | undefined {
  const [owner, statement = ''] = id.split(':');
  return owner === process.pid.toString(16) && /^\d{1,15}$/.test(statement) ? Number(statement) : undefined;
}
