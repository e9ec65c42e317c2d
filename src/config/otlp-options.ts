import { optionTable } from '../model/option.js';

/** The doors for OpenTelemetry's metrics. */
export const otlpOptions = optionTable({
  group: 'otlp',
  title: 'OpenTelemetry metrics (OTLP)',
  rows: [
    { flag: 'otlp.enable', type: 'bool', default: 'true', help: 'serve POST /v1/metrics' },
    {
      flag: 'otlp.db',
      type: 'string',
      default: 'otlp',
      help: 'database of requests without the header x-sluice-db and the parameter db',
    },
    {
      flag: 'otlp.suffixes',
      type: 'bool',
      default: 'false',
      help: 'add the unit, and total for counters, to the names of tables, as Prometheus does',
    },
    {
      flag: 'otlp.grpc',
      type: 'bool',
      default: 'false',
      help: 'listen for metrics over gRPC; with ssl.enable the listener speaks TLS with the same files',
    },
    { flag: 'otlp.grpcPort', type: 'int', default: '4317', help: 'port for gRPC', min: 0, max: 65535 },
  ],
});
