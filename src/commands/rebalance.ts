import { rebalance } from '../database/cluster/rebalance.js';
import { clusterNodes } from '../service/running-engine.js';
import { createLogger } from '../telemetry/logger.js';
import { progressLine, withSettings } from './command.js';

const help = `sluice rebalance [--name=value ...]
  Spreads the rows of all tables over all shards of the cluster of the settings (--config, or --database.urls and so on), after
  a shard has been added. Services may run: they take rows into their logs meanwhile, and refuse queries. A command that broke off is run
  again; until then services wait.

--name=value are settings of the service; see sluice --help.
`;

/** Moving the rows of one piece takes as long as it takes. */
const statementTimeoutMs = 24 * 3_600_000;

/** Runs `sluice rebalance` and gives the exit code: 2 for a mistake on the command line, 1 for other trouble. */
export async function runRebalanceCommand(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(help);
    return 0;
  }
  return withSettings(argv, async ({ database }) => {
    if (database.mode !== 'cluster' || database.cluster === '') {
      throw new Error('Name the cluster: --database.mode=cluster, --database.cluster and the addresses of its nodes.');
    }
    const nodes = clusterNodes(database, { requestTimeoutMs: statementTimeoutMs }, createLogger('error'));
    try {
      await nodes.start();
      const show = progressLine('tables');
      const moved = await rebalance(nodes, database, show.progress);
      show.end();
      process.stdout.write(`Moved ${moved} rows.\n`);
    } finally {
      await nodes.stop();
    }
  });
}
