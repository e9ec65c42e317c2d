import type { Replication } from '../../../src/database/cluster/layout.js';

/** Where one node of a cluster listens, and its place there. */
export interface NodePlace {
  readonly shard: number;
  readonly replica: number;
  /** Of HTTP, as clients know it, and as the node listens on it; see {@link softLine}. */
  readonly httpPort: number;
  readonly ownHttpPort: number;
  /** The same of the native protocol, for the other nodes. */
  readonly tcpPort: number;
  readonly ownTcpPort: number;
  /** At which others fetch parts of its replicated tables. */
  readonly partsPort: number;
}

/** A cluster as the configuration of its nodes describes it. */
export interface ClusterPlan {
  readonly name: string;
  readonly places: readonly NodePlace[];
  readonly user: string;
  readonly password: string;
  /** Port of a keeper on this machine, where there is one. */
  readonly keeperPort: number | undefined;
  readonly replication: Replication;
  /** A configuration of two shards with two replicas as the documents show it; its names of machines are replaced. */
  readonly shown?: string | undefined;
}

/** `config.xml` of one node. */
export function nodeConfig(plan: ClusterPlan, own: NodePlace): string {
  const { name, places, user, password, keeperPort, replication } = plan;
  const shards = [...new Set(places.map(({ shard }) => shard))].map((shard) => {
    const replicas = places
      .filter((place) => place.shard === shard)
      .map(({ tcpPort }) => element('replica', { host: '127.0.0.1', port: tcpPort, user, password }));
    const isInternal = replication === 'replicated';
    return `<shard><internal_replication>${isInternal}</internal_replication>${replicas.join('')}</shard>`;
  });
  // Nodes of the tests have no identity of their own, so that each would end the session of the others at one path.
  const keeper =
    keeperPort === undefined
      ? ''
      : `<zookeeper><node><host>127.0.0.1</host><port>${keeperPort}</port></node>
         ${sessionOf(own)}</zookeeper>
         <keeper_map_path_prefix>/keeper_map</keeper_map_path_prefix>`;
  const described = `<remote_servers replace="replace">${`<${name}>${shards.join('')}</${name}>`}</remote_servers>
    ${element('macros', { shard: own.shard, replica: own.replica })}
    ${keeper}`;
  return `<clickhouse>
    <http_port>${own.ownHttpPort}</http_port><tcp_port>${own.ownTcpPort}</tcp_port><listen_host>127.0.0.1</listen_host>
    <users_config>users.xml</users_config>
    ${plan.shown === undefined ? described : shownParts(plan.shown, plan, own)}
    <background_fetches_pool_size>8</background_fetches_pool_size>
    <background_distributed_schedule_pool_size>8</background_distributed_schedule_pool_size>
    <mark_cache_size>67108864</mark_cache_size>
    <memory_worker_use_cgroup>0</memory_worker_use_cgroup><max_server_memory_usage>0</max_server_memory_usage>
  </clickhouse>`;
}

function sessionOf({ shard, replica }: NodePlace): string {
  return `<sessions_path>/sessions/${shard}-${replica}</sessions_path>
    <session_timeout_ms>4000</session_timeout_ms><operation_timeout_ms>2000</operation_timeout_ms>`;
}

/** What stands in a configuration that the documents show, with the addresses of the nodes and the keeper of a test. */
function shownParts(shown: string, { places, user, password, keeperPort }: ClusterPlan, own: NodePlace): string {
  const addressOf = (_: string, shard: string, letter: string): string => {
    const replica = letter === 'a' ? 1 : 2;
    const place = places.find((one) => one.shard === Number(shard) && one.replica === replica);
    return `<host>127.0.0.1</host><port>${place?.tcpPort}</port><user>${user}</user><password>${password}</password>`;
  };
  return shown
    .replace(/^\s*<clickhouse>|<\/clickhouse>\s*$/g, '')
    .replace(/<host>db(\d)([ab])<\/host><port>9000<\/port><user>sluice<\/user><password>…<\/password>/g, addressOf)
    .replace(/<host>keeper\d<\/host><port>9181<\/port>/g, `<host>127.0.0.1</host><port>${keeperPort}</port>`)
    .replace('</zookeeper>', `${sessionOf(own)}</zookeeper>`)
    .replace(/<macros>.*<\/macros>/, element('macros', { shard: own.shard, replica: own.replica }));
}

/** Of the user that the local session of a node runs as: what it needs to listen, and nothing else. */
const sessionGrants = [
  'GRANT SYSTEM LISTEN ON *.*',
  'GRANT CREATE TABLE, SELECT ON default.*',
  'GRANT TABLE ENGINE ON File',
  'GRANT READ ON FILE',
];

/**
 * Other nodes are asked by plain sockets: as part of another program the engine aborts now and then when it takes back fibers of
 * queries that have ended.
 */
const profile = ['async_socket_for_remote', 'use_hedged_requests', 'async_query_sending_for_remote'];

/** `users.xml` of every node. */
export function usersConfig({ user, password }: ClusterPlan): string {
  const grants = sessionGrants.map((grant) => `<query>${grant}</query>`).join('');
  const common = '<profile>default</profile><quota>default</quota><networks><ip>127.0.0.1</ip></networks>';
  return `<clickhouse>
    <profiles>${element('default', Object.fromEntries(profile.map((name) => [name, 0])))}</profiles><quotas><default/></quotas>
    <users>
      <default><password></password>${common}<grants>${grants}</grants></default>
      <${user}><password>${password}</password>${common}<access_management>1</access_management></${user}>
    </users>
  </clickhouse>`;
}

function element(name: string, values: Readonly<Record<string, string | number>>): string {
  const inner = Object.entries(values).map(([key, value]) => `<${key}>${value}</${key}>`);
  return `<${name}>${inner.join('')}</${name}>`;
}
