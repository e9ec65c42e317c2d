import { createHash } from 'node:crypto';
import { columnsOf, type SystemFacts, type SystemTable } from './system-table.js';

/** When the installation began. */
function began({ catalogue, started }: SystemFacts): number {
  return catalogue.began ?? started;
}

/** `ins_dnodes`: the one node, or those of the cluster that the database is. */
export const dnodesTable: SystemTable = {
  isOfState: true,
  columns: columnsOf(
    `id INT, endpoint V134, vnodes SMALLINT, support_vnodes SMALLINT, status V10, create_time TS, reboot_time TS, note V256`,
  ),
  rows: (facts) => {
    const { catalogue, endpoint, started } = facts;
    const vnodes = catalogue.databases().reduce((sum, { name }) => sum + catalogue.vgroups(name).count, 0);
    const nodes = facts.engine
      .nodes()
      .map(({ url, state, fault: note }) => ({ place: new URL(url).host, state, note }));
    return (nodes.length > 0 ? nodes : [{ place: endpoint, state: 'up', note: '' }]).map(
      ({ place, state, note }, at) => {
        const status = state === 'away' ? 'offline' : 'ready';
        return [at + 1, place, Math.min(vnodes, 32767), 32767, status, began(facts), started, note];
      },
    );
  },
};

/**
 * `ins_mnodes`: who keeps the catalogue. That is the one node, the keeper of a cluster, or else the first replica of
 * its first shard.
 */
export const mnodesTable: SystemTable = {
  isOfState: true,
  columns: columnsOf('id INT, endpoint V134, role V12, status V9, create_time TS, role_time TS'),
  rows: (facts) => {
    const { endpoint, state } = catalogueKeeper(facts);
    return [[1, endpoint, 'leader', state === 'away' ? 'offline' : 'ready', began(facts), facts.started]];
  },
};

function catalogueKeeper({ engine, endpoint }: SystemFacts): { readonly endpoint: string; readonly state: string } {
  if (engine.keeper !== undefined) return { endpoint: 'keeper', state: engine.keeper };
  const first = engine.nodes().find(({ isHome }) => isHome);
  return first === undefined ? { endpoint, state: 'up' } : { endpoint: new URL(first.url).host, state: first.state };
}

/** `ins_cluster`: id and name are made from the beginning of the catalogue, the same for every process. */
export const clusterTable: SystemTable = {
  columns: columnsOf('id BIGINT, name V134, uptime INT, create_time TS, version V10, expire_time TS'),
  rows: (facts) => {
    const digest = createHash('sha256')
      .update(`cluster ${began(facts)}`)
      .digest();
    const id = BigInt.asUintN(63, digest.readBigUInt64LE());
    const uptime = Math.floor((facts.nowMs - facts.started) / 1000);
    return [[id, `cluster-${digest.toString('hex', 8, 14)}`, uptime, began(facts), 'community', null]];
  },
};

/** `ins_grants`: nothing is limited. */
export const grantsTable: SystemTable = {
  columns: columnsOf(
    `version V9, expire_time V19, service_time V19, expired V5, state V9, timeseries V21, dnodes V10, cpu_cores V13`,
  ),
  rows: () => [['community', 'unlimited', 'unlimited', 'false', 'ungranted', ...Array(3).fill('unlimited')]],
};

/** `ins_configs` */
export const configsTable: SystemTable = {
  columns: columnsOf('name V32, value V64'),
  rows: ({ variables }) => variables.map(({ name, value }) => [name, value]),
};

/** `ins_dnode_variables` */
export const dnodeVariablesTable: SystemTable = {
  columns: columnsOf('dnode_id INT, name V32, value V64, scope V8, info V64'),
  rows: ({ variables }) => variables.map(({ name, value }) => [1, name, value, 'server', '']),
};
