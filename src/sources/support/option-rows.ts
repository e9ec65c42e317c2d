/** Database, user and password of a way in that writes as a user of its settings. */
export function storeRows<G extends string>(group: G) {
  const db = { flag: `${group}.db`, type: 'string', default: group, help: 'database that is written to' } as const;
  return [db, ...userRows(group)] as const;
}

/** User and password of a way in. */
export function userRows<G extends string>(group: G) {
  return [
    { flag: `${group}.user`, type: 'string', default: 'root', help: 'database user of the writes' },
    { flag: `${group}.password`, type: 'secret', default: 'taosdata', help: 'password of that user' },
  ] as const;
}

/** How many connections a listener has over TCP, and whether they are kept alive. */
export function tcpRows<G extends string>(group: G, most = 'most connections at the same time') {
  return [
    { flag: `${group}.maxTCPConnections`, type: 'int', default: '250', help: most, min: 1 },
    { flag: `${group}.tcpKeepAlive`, type: 'bool', default: 'false', help: 'TCP keep-alive on connections' },
  ] as const;
}

/** How long the sub-tables live that a way in makes. */
export function ttlRow<G extends string>(group: G) {
  return {
    flag: `${group}.ttl`,
    type: 'int',
    help: 'days that new sub-tables live; 0 or not set is for ever',
    named: 'ttlDays',
    unset: 0,
    min: 0,
  } as const;
}
