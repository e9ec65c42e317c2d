import protobuf from 'protobufjs';

/** The messages of exposition as https://github.com/prometheus/client_model numbers them, written by another implementation. */
const { root } = protobuf.parse(
  `
  syntax = "proto2";
  message LabelPair { optional string name = 1; optional string value = 2; }
  message Plain { optional double value = 1; }
  message Exemplar { repeated LabelPair label = 1; optional double value = 2; optional Timestamp timestamp = 3; }
  message Timestamp { optional int64 seconds = 1; optional int32 nanos = 2; }
  message Counter { optional double value = 1; optional Exemplar exemplar = 2; }
  message Quantile { optional double quantile = 1; optional double value = 2; }
  message Summary { optional uint64 sample_count = 1; optional double sample_sum = 2; repeated Quantile quantile = 3; }
  message Bucket {
    optional uint64 cumulative_count = 1; optional double upper_bound = 2; optional Exemplar exemplar = 3; optional double cumulative_count_float = 4;
  }
  message Histogram {
    optional uint64 sample_count = 1; optional double sample_sum = 2; repeated Bucket bucket = 3; optional double sample_count_float = 4;
    repeated Exemplar exemplars = 16;
  }
  message Metric {
    repeated LabelPair label = 1; optional Plain gauge = 2; optional Counter counter = 3; optional Summary summary = 4;
    optional Plain untyped = 5; optional int64 timestamp_ms = 6; optional Histogram histogram = 7;
  }
  message MetricFamily { optional bytes name = 1; optional string help = 2; optional int32 type = 3; repeated Metric metric = 4; }
  `,
  { keepCase: true },
);
const familyType = root.lookupType('MetricFamily');

/** Families as they are sent, each behind its length. */
export function familiesOf(...families: readonly object[]): Buffer {
  const named = families.map((family) => ({
    ...family,
    name: Buffer.from('name' in family ? String(family.name) : ''),
  }));
  return Buffer.concat(named.map((family) => familyType.encodeDelimited(familyType.fromObject(family)).finish()));
}
