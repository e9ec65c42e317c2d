import type { Operation, Schema, SecurityScheme } from './description.js';
import { documentSchemas } from './documents.js';
import { eventSchemas } from './events.js';
import { influxSchemas } from './influx.js';
import { prometheusSchemas } from './prometheus.js';
import { ruleSchemas } from './rules.js';
import { serviceSchemas } from './service.js';
import { errorSchema } from './shared.js';
import { sqlSchemas } from './sql.js';
import { statementSchemas } from './statements.js';
import { writeSchemas } from './writes.js';

/** An interface as far as its description goes. */
interface Described {
  readonly method: string;
  /** Segments that begin with a colon are parameters. */
  readonly path: string;
  /** Left out of the document where there is none. */
  readonly operation?: Operation;
}

const securitySchemes: Readonly<Record<SecurityScheme, object>> = {
  basic: { type: 'http', scheme: 'basic', description: 'User and password.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token made with `CREATE TOKEN`.' },
  custom: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Custom <code>`, the code being what the login route answers; `Taosd` is another word for `Custom`.',
  },
  influxToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Token <token>`: a token made with `CREATE TOKEN`, or `user:password`.',
  },
  lineprotoUser: { type: 'apiKey', in: 'query', name: 'u', description: 'User.' },
  lineprotoPassword: { type: 'apiKey', in: 'query', name: 'p', description: 'Password.' },
};

const tags = [
  { name: 'SQL', description: 'Statements over HTTP.' },
  { name: 'WebSocket', description: 'The interface of connectors.' },
  { name: 'PromQL', description: 'The HTTP API of Prometheus.' },
  { name: 'Writes', description: 'What agents send.' },
  { name: 'Metrics system', description: 'Remote write and remote read.' },
  { name: 'Event Resource', description: 'What needs the attention of a person.' },
  { name: 'Rules', description: 'What opens events, and who is notified of them.' },
  { name: 'Documents', description: 'Dashboards and saved queries.' },
  { name: 'Service', description: 'Login, health, metrics, and this description.' },
] as const satisfies readonly { readonly name: Operation['tags'][0]; readonly description: string }[];

const schemas: Readonly<Record<string, Schema>> = {
  Error: errorSchema,
  ...sqlSchemas,
  ...writeSchemas,
  ...influxSchemas,
  ...eventSchemas,
  ...ruleSchemas,
  ...documentSchemas,
  ...serviceSchemas,
  ...statementSchemas,
  ...prometheusSchemas,
};

/** The OpenAPI 3.1 document of these interfaces, as plain data. */
export function createApiDocument(interfaces: readonly Described[], version: string): object {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { method, path, operation } of interfaces) {
    if (operation === undefined) continue;
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      summary: 'The gate between metric agents and a time-series database.',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    paths,
    components: { schemas, securitySchemes },
  };
}
