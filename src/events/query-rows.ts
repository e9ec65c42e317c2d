/** One element that a query found, or a series by its name. */
export interface QueryFinding {
  readonly element: string;
  readonly value: number | null;
  /** Tags, or the other columns of a query, as texts. */
  readonly tags: ReadonlyMap<string, string>;
}

/**
 * Findings in the rows of a query's result, each a JSON object by column name: the column `element` names the element,
 * or the first column that is a text; `value` is the value. An element counts once; what names none is called by the
 * rule's name.
 */
export function findingsOf(rows: readonly Readonly<Record<string, unknown>>[], rule: string): readonly QueryFinding[] {
  const findings = new Map<string, QueryFinding>();
  for (const row of rows) {
    const { element: named, value, ...others } = row;
    const element = textOf(named) ?? Object.values(others).find((cell) => typeof cell === 'string') ?? rule;
    if (typeof element !== 'string' || findings.has(element)) continue;
    const tags = Object.entries(others).flatMap(([name, cell]) => {
      const text = textOf(cell);
      return text === undefined ? [] : [[name, text] as const];
    });
    findings.set(element, { element, value: numberOf(value), tags: new Map(tags) });
  }
  return [...findings.values()];
}

function textOf(cell: unknown): string | undefined {
  if (cell === null || cell === undefined || cell === '') return undefined;
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** Integers beyond 2^53 come as texts of digits. */
function numberOf(cell: unknown): number | null {
  const value = typeof cell === 'string' && cell !== '' ? Number(cell) : cell;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
