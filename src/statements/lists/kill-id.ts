/** A statement by its process. */
export interface StatementPlace {
  readonly pid: number;
  readonly id: number;
}

/** The name by which KILL QUERY means a running statement: process and statement. */
export function killId({ pid, id }: StatementPlace): string {
  return `${pid.toString(16)}:${id}`;
}

/** The statement that a {@link killId} means; undefined for any other text. */
export function killedStatement(text: string): StatementPlace | undefined {
  const [, pid = '', id = ''] = /^([0-9a-f]{1,8}):(\d{1,15})$/.exec(text) ?? [];
  return id === '' ? undefined : { pid: Number.parseInt(pid, 16), id: Number(id) };
}
