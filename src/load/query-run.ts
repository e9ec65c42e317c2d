import { cutAfterGrace } from './execution/stopping.js';
import type { LoadRunContext } from './insert-run.js';
import type { RunSql } from './model/ports.js';
import type { QueryReport } from './model/report.js';
import type { QueryScenario } from './model/scenario.js';
import { runQueries } from './query/query.js';
import { openOrService } from './service-instead.js';
import { HttpService } from './sinks/http-service.js';
import { restStatements } from './sinks/rest-statements.js';

/** Connections to the engine at most, of which one half is for results: it runs so many statements side by side. */
const maxConnections = 64;
const creditBytes = 1024 * 1024;

/** Runs a query scenario: opens its way to the database, and gives it back at the end. Throws a FaultError when there is none. */
export async function runQueryScenario(
  scenario: QueryScenario,
  context: Pick<LoadRunContext, 'version' | 'log' | 'watch' | 'stop'>,
): Promise<QueryReport> {
  const threads = Math.max(scenario.specified?.threads ?? 1, scenario.superTable?.threads ?? 1);
  const way = scenario.mode === 'rest' ? overHttp(scenario, threads) : await inProcess(scenario, threads, context);
  const callOff = cutAfterGrace(context, () => way.cut());
  try {
    return await runQueries(scenario, { ...context, run: way.run });
  } finally {
    callOff();
    await way.close();
  }
}

interface Way {
  readonly run: RunSql;
  /** Gives up all connections at once. */
  cut(): void;
  close(): Promise<void>;
}

function overHttp({ connection }: QueryScenario, connections: number): Way {
  const { host, httpPort: port, user, password, tls } = connection;
  return throughService(new HttpService({ host, port, user, password, tls, connections }));
}

function throughService(service: HttpService): Way {
  const cut = (): void => service.close();
  return { run: restStatements(service), cut, close: async () => cut() };
}

async function inProcess(
  { connection }: QueryScenario,
  threads: number,
  context: Pick<LoadRunContext, 'version' | 'log' | 'stop'>,
): Promise<Way> {
  const { log, stop } = context;
  const connections = Math.min(maxConnections, 2 * threads + 2);
  const { openLoadWorld } = await import('./world.js');
  const limits = { statements: threads, connections, creditBytes };
  const open = () => openLoadWorld(connection, context, limits);
  const opened = await openOrService(open, { connection, connections: threads, log, stop });
  if (opened instanceof HttpService) return throughService(opened);
  return { run: opened.run, cut: () => opened.cut(), close: () => opened.stop() };
}
