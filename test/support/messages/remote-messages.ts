import { readdirSync, readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import snappyjs from 'snappyjs';

/** The messages of both protocols as their specifications name them, read and written by another implementation. */
const definitions = `
  syntax = "proto3";
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }
  message Exemplar { repeated Label labels = 1; double value = 2; int64 timestamp = 3; }
  message BucketSpan { sint32 offset = 1; uint32 length = 2; }
  message Histogram {
    oneof count { uint64 count_int = 1; double count_float = 2; } double sum = 3; sint32 schema = 4; double zero_threshold = 5;
    oneof zero_count { uint64 zero_count_int = 6; double zero_count_float = 7; }
    repeated BucketSpan negative_spans = 8; repeated sint64 negative_deltas = 9; repeated double negative_counts = 10;
    repeated BucketSpan positive_spans = 11; repeated sint64 positive_deltas = 12; repeated double positive_counts = 13;
    int32 reset_hint = 14; int64 timestamp = 15; repeated double custom_values = 16;
  }
  message Sample2 { double value = 1; int64 timestamp = 2; int64 start_timestamp = 3; }
  message Metadata2 { int32 type = 1; uint32 help_ref = 3; uint32 unit_ref = 4; }
  message Exemplar2 { repeated uint32 labels_refs = 1; double value = 2; int64 timestamp = 3; }
  message TimeSeries {
    repeated Label labels = 1; repeated Sample samples = 2; repeated Exemplar exemplars = 3; repeated Histogram histograms = 4;
  }
  message MetricMetadata { int32 type = 1; string metric_family_name = 2; string help = 4; string unit = 5; }
  message WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
  message TimeSeries2 {
    repeated uint32 labels_refs = 1; repeated Sample2 samples = 2; repeated Histogram histograms = 3; repeated Exemplar2 exemplars = 4;
    Metadata2 metadata = 5; int64 created_timestamp = 6;
  }
  message WriteRequest2 { repeated string symbols = 4; repeated TimeSeries2 timeseries = 5; }
  message LabelMatcher { int32 type = 1; string name = 2; string value = 3; }
  message ReadHints { int64 step_ms = 1; string func = 2; int64 start_ms = 3; int64 end_ms = 4; repeated string grouping = 5;
    bool by = 6; int64 range_ms = 7; }
  message Query { int64 start_timestamp_ms = 1; int64 end_timestamp_ms = 2; repeated LabelMatcher matchers = 3; ReadHints hints = 4; }
  message ReadRequest { repeated Query queries = 1; repeated int32 accepted_response_types = 2; }
  message QueryResult { repeated TimeSeries timeseries = 1; }
  message ReadResponse { repeated QueryResult results = 1; }
  `;
const { root } = protobuf.parse(definitions, { keepCase: true });
/** The same with repeated numbers one by one, as writers may have them. */
const unpacked = protobuf.parse(
  definitions.replace(/(repeated (?:uint32|sint64|int32|double) \w+ = \d+)/g, '$1 [packed = false]'),
  { keepCase: true },
).root;

export interface TestLabel {
  readonly name: string;
  readonly value: string;
}

/** `timestamp` in milliseconds; as text where a number would not do. */
export interface TestSample {
  readonly value: number;
  readonly timestamp: number | string;
}

export interface TestExemplar extends TestSample {
  readonly labels: readonly TestLabel[];
}

export interface TestSeries {
  readonly labels: readonly TestLabel[];
  readonly samples?: readonly TestSample[];
  readonly exemplars?: readonly TestExemplar[];
  readonly histograms?: readonly object[];
  /** Of version 2: type by its number, help and unit. */
  readonly metadata?: { readonly type: number; readonly help: string; readonly unit: string };
  readonly created_timestamp?: number;
}

export interface TestQuery {
  readonly start_timestamp_ms: number | string;
  readonly end_timestamp_ms: number | string;
  readonly matchers: readonly { readonly type: number; readonly name: string; readonly value: string }[];
  readonly hints?: object;
}

/** Kinds of matchers on the wire. */
export const Matcher = { EQ: 0, NEQ: 1, RE: 2, NRE: 3 } as const;

/** A message of the given type without compression, its repeated numbers packed or not. */
export function encode(type: string, message: object, isPacked = true): Uint8Array {
  const messageType = (isPacked ? root : unpacked).lookupType(type);
  return messageType.encode(messageType.fromObject(message)).finish();
}

/** What a message of the given type without compression says. */
export function decode(type: string, bytes: Uint8Array): Record<string, unknown> {
  const messageType = root.lookupType(type);
  return messageType.toObject(messageType.decode(bytes), { longs: String });
}

/** Bytes as a snappy block. */
export function packed(bytes: Uint8Array): Buffer {
  return Buffer.from(snappyjs.compress(bytes));
}

/** A write request as it is sent. */
export function writeBody(
  timeseries: readonly TestSeries[],
  metadata: readonly object[] = [],
  isPacked = true,
): Buffer {
  return packed(encode('WriteRequest', { timeseries, metadata }, isPacked));
}

/** A write request of version 2 as it is sent. */
export function writeBody2(timeseries: readonly TestSeries[], isPacked = true): Buffer {
  const symbols = [
    '',
    ...new Set(
      timeseries
        .flatMap(({ labels, exemplars = [] }) => [labels, ...exemplars.map((exemplar) => exemplar.labels)])
        .flatMap((labels) => labels.flatMap(({ name, value }) => [name, value])),
    ),
    ...timeseries.flatMap(({ metadata }) => (metadata === undefined ? [] : [metadata.help, metadata.unit])),
  ];
  const refs = new Map(symbols.map((symbol, i) => [symbol, i]));
  const referring = <T extends { readonly labels: readonly TestLabel[] }>({ labels, ...rest }: T) => ({
    ...rest,
    labels_refs: labels.flatMap(({ name, value }) => [refs.get(name), value === '' ? 0 : refs.get(value)]),
  });
  const series = timeseries.map(({ exemplars = [], metadata, ...rest }) => ({
    ...referring(rest),
    ...(metadata === undefined
      ? {}
      : { metadata: { type: metadata.type, help_ref: refs.get(metadata.help), unit_ref: refs.get(metadata.unit) } }),
    exemplars: exemplars.map(referring),
  }));
  return packed(encode('WriteRequest2', { symbols, timeseries: series }, isPacked));
}

/** A read request as it is sent. */
export function readBody(queries: readonly TestQuery[], accepted: readonly number[] = []): Buffer {
  return packed(encode('ReadRequest', { queries, accepted_response_types: accepted }));
}

/** One series of an answer. */
export interface ReadSeries {
  readonly labels: readonly TestLabel[];
  /** Times as text of digits. */
  readonly samples: readonly { readonly value: number; readonly timestamp: string }[];
}

/** The results of an answer, one a query. */
export function readAnswer(body: Uint8Array): (readonly ReadSeries[])[] {
  const type = root.lookupType('ReadResponse');
  const decoded = type.toObject(type.decode(snappyjs.uncompress(body)), {
    longs: String,
    arrays: true,
    defaults: true,
    // Infinity and NaN as text, for JSON has no words for them.
    json: true,
  });
  const { results }: { results: { timeseries: ReadSeries[] }[] } = JSON.parse(JSON.stringify(decoded));
  return results.map(({ timeseries }) =>
    timeseries.map(({ labels, samples }) => ({
      labels: labels.map(({ name, value }) => ({ name, value })),
      samples: samples.map(({ value, timestamp }) => ({ value: Number(value), timestamp })),
    })),
  );
}

/** A label set as an object's entries, in the order of the names. */
export function labelsOf(labels: Readonly<Record<string, string>>): TestLabel[] {
  return Object.entries(labels)
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

const directory = new URL('../../../../fixtures/metricsdb/', import.meta.url);

/** What one client sent: its bytes, and what they say. */
export interface Recording {
  readonly name: string;
  readonly body: Buffer;
  readonly message: 'WriteRequest' | 'ReadRequest';
  readonly headers: Readonly<Record<string, string>>;
  /** Of a write: numbers that JSON has no form for are texts. */
  readonly timeseries: readonly {
    readonly labels: readonly TestLabel[];
    readonly samples: readonly { readonly value: number | string; readonly timestamp: number }[];
  }[];
  readonly queries: readonly (Omit<TestQuery, 'matchers'> & {
    readonly matchers: readonly {
      readonly type: keyof typeof Matcher;
      readonly name: string;
      readonly value: string;
    }[];
  })[];
}

/** All recordings of a kind. */
export function recordings(message: Recording['message']): Recording[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file): Recording => {
      const name = file.slice(0, -'.json'.length);
      const said = JSON.parse(readFileSync(new URL(file, directory), 'utf8'));
      return { ...said, name, headers: said.request.headers, body: readFileSync(new URL(`${name}.bin`, directory)) };
    })
    .filter((recording) => recording.message === message);
}
