import type {
  DatabasePlan,
  InsertScenario,
  LoadScenario,
  QueryScenario,
  SubscribeScenario,
  SuperTablePlan,
} from '../model/scenario.js';

const mask = '******';

/** The whole scenario as JSON text, every default filled in and the password masked. */
export function scenarioText(scenario: LoadScenario): string {
  return JSON.stringify(scenario, shown, 2);
}

/** What a run will do, in lines for a person: what is dropped, made, written or asked. */
export function planLines(scenario: LoadScenario): readonly string[] {
  switch (scenario.kind) {
    case 'insert':
      return insertLines(scenario);
    case 'query':
      return queryLines(scenario);
    case 'subscribe':
      return subscribeLines(scenario);
  }
}

function shown(key: string, value: unknown): unknown {
  if (key === 'password') return mask;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value === Number.POSITIVE_INFINITY ? 'for ever' : value;
}

function insertLines({ supplement, databases, streams }: InsertScenario): readonly string[] {
  const lines = databases.flatMap((database) => [
    databaseLine(database, supplement),
    ...database.superTables.map(tableLine),
  ]);
  return streams.length === 0 ? lines : [...lines, `Streams ${names(streams)} are dropped and made anew.`];
}

function databaseLine({ name, drop }: DatabasePlan, supplement: boolean): string {
  if (drop) return `Database ${name} is DROPPED if it exists, and made anew.`;
  return supplement ? `Database ${name} and its super tables are used as they are.` : `Database ${name} must exist.`;
}

function tableLine(plan: SuperTablePlan): string {
  const tables = plan.childExists ? plan.childLimit : plan.childTo - plan.childFrom;
  const what = plan.normalTables ? `${tables} normal tables` : `super table ${plan.name} with ${tables} sub-tables`;
  const where = `  ${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  if (plan.nonStop) return `${where}: rows by ${plan.mode} until it is interrupted.`;
  if (plan.sample?.useTimes === true) return `${where}: the rows of ${plan.sample.file} by ${plan.mode}.`;
  return `${where}: ${plan.rows} rows each by ${plan.mode}, ${tables * plan.rows} in all.`;
}

function queryLines({ database, mode, specified, superTable }: QueryScenario): readonly string[] {
  const lines = [`Database ${database} is queried by ${mode}.`];
  if (specified !== undefined) {
    const { queries, times, threads, mixed } = specified;
    const runs = queries.length * times * (mixed ? 1 : threads);
    lines.push(`  ${queries.length} statements, ${times} times, ${threads} threads: ${runs} queries.`);
  }
  if (superTable !== undefined) {
    const { queries, times, threads } = superTable;
    lines.push(
      `  ${queries.length} statements for every sub-table of ${superTable.superTable}, ${times} times, ${threads} threads.`,
    );
  }
  return lines;
}

function subscribeLines({ consume }: SubscribeScenario): readonly string[] {
  if (consume.kind === 'topics') {
    return [`Topics ${names(consume.topics)} are read by ${consume.consumers} consumers.`];
  }
  return consume.parts.map(
    ({ queries, threads }) => `${queries.length} statements are polled by ${threads} threads each.`,
  );
}

function names(list: readonly { readonly name: string }[]): string {
  return list.map(({ name }) => name).join(', ');
}
