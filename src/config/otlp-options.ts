import { option, optionTable } from '../model/option.js';

/** The inputs for OpenTelemetry's metrics. */
export const otlpOptions = optionTable('otlp', 'OpenTelemetry metrics (OTLP)', [
  option.bool('otlp.enable', 'serve POST /v1/metrics', { default: 'true' }),
  option.text('otlp.db', 'database of requests without the header x-sluice-db and the parameter db', {
    default: 'otlp',
  }),
  option.bool('otlp.suffixes', 'add the unit, and total for counters, to the names of tables, as Prometheus does', {
    default: 'false',
  }),
  option.bool(
    'otlp.grpc',
    'listen for metrics over gRPC; with ssl.enable the listener speaks TLS with the same files',
    { default: 'false' },
  ),
  option.int('otlp.grpcPort', 'port for gRPC', { default: '4317', min: 0, max: 65535 }),
]);
