import { Codes, FaultError, fault } from '../../model/fault.js';
import type { LabelMatcher, SeriesQuery } from '../../model/series-query.js';
import { inflateSnappy } from '../wire/inflate-snappy.js';
import { Wire, WireReader } from '../wire/protobuf.js';

/** Queries in one request, and matchers in one query. */
const maxQueries = 100;
const maxMatchers = 1000;

/** Kinds of matchers by their number on the wire. */
const kinds: readonly LabelMatcher['kind'][] = ['equal', 'not-equal', 'match', 'not-match'];
/** The answer that holds samples, among the types of answers. */
const sampled = 0;

function refused(text: string): FaultError {
  return new FaultError(fault('parameter', Codes.invalidParameters, text));
}

/** Calls `read` within the current bytes field. */
function within<T>(reader: WireReader, read: () => T): T {
  const outerEnd = reader.end;
  const end = reader.enter();
  reader.end = end;
  const value = read();
  reader.at = end;
  reader.end = outerEnd;
  return value;
}

function readMatcher(reader: WireReader): LabelMatcher {
  let number = 0n;
  let name = '';
  let value = '';
  while (reader.next()) {
    if (reader.is(1, Wire.varint)) number = reader.int64();
    else if (reader.is(2, Wire.bytes)) name = reader.text();
    else if (reader.is(3, Wire.bytes)) value = reader.text();
    else reader.skip();
  }
  const kind = number < 0n ? undefined : kinds[Number(number)];
  if (kind === undefined) throw refused(`not support match type ${number}`);
  if (name === '') throw refused('a matcher has no label name');
  return { kind, name, value };
}

/** Hints (field 4) say what the client will do with the samples; it gets all of them in any case. */
function readQuery(reader: WireReader): SeriesQuery {
  let startMs = 0n;
  let endMs = 0n;
  const matchers: LabelMatcher[] = [];
  while (reader.next()) {
    if (reader.is(1, Wire.varint)) startMs = reader.int64();
    else if (reader.is(2, Wire.varint)) endMs = reader.int64();
    else if (reader.is(3, Wire.bytes)) matchers.push(within(reader, () => readMatcher(reader)));
    else reader.skip();
    if (matchers.length > maxMatchers) throw refused(`a query has more than ${maxMatchers} matchers`);
  }
  return { startMs, endMs, matchers };
}

/** True when the sampled answer is among the types accepted, which stand packed or one by one. */
function acceptsSampled(reader: WireReader): boolean {
  if (reader.wire === Wire.varint) return reader.int64() === BigInt(sampled);
  return within(reader, () => {
    let isSampled = false;
    while (reader.at < reader.end) if (reader.int64() === BigInt(sampled)) isSampled = true;
    return isSampled;
  });
}

/**
 * Reads a read request: a snappy block of a `prometheus.ReadRequest`. Throws a FaultError of kind `parameter` when it
 * is not one, when it has matchers that do not exist, or accepts no answer with samples, the only kind there is.
 */
export function parseRemoteRead(bytes: Uint8Array, maxMessageBytes: number): readonly SeriesQuery[] {
  const reader = new WireReader(inflateSnappy(bytes, maxMessageBytes));
  const queries: SeriesQuery[] = [];
  let accepted: boolean | undefined;
  while (reader.next()) {
    if (reader.is(1, Wire.bytes)) queries.push(within(reader, () => readQuery(reader)));
    else if (reader.field === 2 && reader.wire === Wire.bytes) accepted = acceptsSampled(reader) || accepted === true;
    else if (reader.is(2, Wire.varint)) accepted = acceptsSampled(reader) || accepted === true;
    else reader.skip();
    if (queries.length > maxQueries) throw refused(`the request has more than ${maxQueries} queries`);
  }
  if (accepted === false) throw refused('none of the accepted response types is supported, which is SAMPLES');
  return queries;
}
