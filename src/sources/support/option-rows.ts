import { option } from '../../model/option.js';

/** Database, user and password of a way in that writes as a user of its settings. */
export function storeRows<G extends string>(group: G) {
  return [option.text(`${group}.db`, 'database for the rows', { default: group }), ...userRows(group)] as const;
}

/** User and password of a way in. */
export function userRows<G extends string>(group: G) {
  return [
    option.text(`${group}.user`, 'database user that writes the rows', { default: 'root' }),
    option.secret(`${group}.password`, 'password of that user', { default: 'taosdata' }),
  ] as const;
}

/** How many connections a listener has over TCP, and whether they are kept alive. */
export function tcpRows<G extends string>(group: G, most = 'maximum number of concurrent connections') {
  return [
    option.int(`${group}.maxTCPConnections`, most, { default: '250', min: 1 }),
    option.bool(`${group}.tcpKeepAlive`, 'TCP keep-alive on connections', { default: 'false' }),
  ] as const;
}

/** How long the sub-tables live that a way in makes. */
export function ttlRow<G extends string>(group: G) {
  return option.int(`${group}.ttl`, 'lifetime (TTL) of new sub-tables in days; 0 or not set is unlimited', {
    named: 'ttlDays',
    unset: 0,
    min: 0,
  });
}
