/**
 * Sets of keys in engine SQL, for the right side of IN. Long lists are read many times faster as one text than as
 * literals, of which the engine makes a tree.
 */

/** A set of series ids that is a constant: nodes that copy tables take no other one in a DELETE. */
export function constantSetOfIds(ids: readonly bigint[]): string {
  return `JSONExtract('[${ids.join(',')}]', 'Array(UInt64)')`;
}

/** A set of series ids. */
export function setOfIds(ids: readonly bigint[]): string {
  return `(SELECT toUInt64(arrayJoin(${splitText(ids.join(','))})))`;
}

/** A set of pairs of series id and time; both lists are as long. */
export function setOfKeys(ids: readonly bigint[], times: readonly bigint[]): string {
  const lists = `SELECT ${splitText(ids.join(','))} AS ids, ${splitText(times.join(','))} AS times`;
  return `(SELECT toUInt64(ids), toInt64(times) FROM (${lists}) ARRAY JOIN ids, times)`;
}

function splitText(numbers: string): string {
  return `splitByChar(',', '${numbers}')`;
}
