import type { Answer, Operation, Schema } from './description.js';
import { json, noScheme, pathParameter, refusal, shared, unavailable } from './shared.js';

/** `LoginCode`. */
export const serviceSchemas: Readonly<Record<string, Schema>> = {
  LoginCode: {
    type: 'object',
    properties: { code: { const: 0 }, desc: { type: 'string', description: 'The token of the `Custom` scheme.' } },
    required: ['code', 'desc'],
  },
  MetricSamples: {
    type: 'object',
    properties: {
      now: { type: 'integer', format: 'int64', description: 'The clock of the service, Unix time in milliseconds.' },
      intervalMs: { type: 'integer', description: 'Time between two samples.' },
      times: { type: 'array', items: { type: 'integer', format: 'int64' }, description: 'Oldest first.' },
      series: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Name and labels as in `GET /metrics`.' },
            values: { type: 'array', items: { type: ['number', 'null'] }, description: 'One for each time.' },
          },
          required: ['name', 'values'],
        },
      },
    },
    required: ['now', 'intervalMs', 'times', 'series'],
  },
};

function file(description: string, type: string): Readonly<Record<string, Answer>> {
  return {
    200: { description, content: { [type]: { schema: { type: 'string' } } } },
    304: { description: 'The caller has it already.' },
    404: { description: 'There is no such file.', content: { 'text/plain': { schema: { type: 'string' } } } },
  };
}

/** The service itself: who may come in, how it is, and how it is described. */
export const serviceOperations = {
  login: {
    operationId: 'login',
    summary: 'Get a code for the `Custom` scheme',
    description: 'A password with a slash has no place in a path: such users log in by `Basic`.',
    tags: ['Service'],
    parameters: [pathParameter('user', 'User.'), pathParameter('password', 'Password.')],
    responses: {
      200: json('The code.', shared('LoginCode')),
      400: refusal('The user or the password is missing or too long.'),
      401: refusal('The password is wrong, or there is no such user.'),
      503: unavailable,
    },
    security: noScheme,
  },
  ping: {
    operationId: 'ping',
    summary: 'Health',
    tags: ['Service'],
    parameters: [
      {
        name: 'action',
        in: 'query',
        description: 'With `query`, the answer is also 503 while only queries are refused.',
        schema: { type: 'string', examples: ['query'] },
      },
    ],
    responses: {
      200: {
        description: `The service takes work. While it recovers its write-ahead log, the answer is \`{"replay": {"power": 42}}\`: the texts of each
database that are left; the name is empty for those of several. With \`action=query\`, while not all of a cluster of databases answers, it is
\`{"nodes": {"up": 3, "behind": 0, "away": 1}, "keeper": "up"}\`; without a keeper it says nothing of one.`,
      },
      503: {
        description: `The memory guard refuses work, or the database does not answer, or no write can be logged: the answer is then
\`{"reason": "The write-ahead log cannot be written: the disk is full"}\`.`,
      },
    },
    security: noScheme,
  },
  metrics: {
    operationId: 'getMetrics',
    summary: 'Metrics of the service',
    tags: ['Service'],
    responses: {
      200: {
        description:
          'OpenMetrics text; readers that accept plain text get the text format 0.0.4. Names are the same in both.',
        content: {
          'application/openmetrics-text': { schema: { type: 'string' } },
          'text/plain': { schema: { type: 'string' } },
        },
      },
    },
    security: noScheme,
  },
  history: {
    operationId: 'getMetricsHistory',
    summary: 'Metrics of the last hour',
    description: 'Some of the metrics of `GET /metrics`, sampled every ten seconds. It is empty after a restart.',
    tags: ['Service'],
    responses: { 200: json('The metrics.', shared('MetricSamples')) },
    security: noScheme,
  },
  description: {
    operationId: 'getDescription',
    summary: 'This description',
    tags: ['Service'],
    responses: { 200: json('An OpenAPI 3.1 document.', { type: 'object' }) },
    security: noScheme,
  },
  swaggerUi: {
    operationId: 'getSwaggerUi',
    summary: 'This description for people',
    tags: ['Service'],
    responses: file('A page.', 'text/html'),
    security: noScheme,
  },
  page: {
    operationId: 'getPage',
    summary: 'The page for people',
    tags: ['Service'],
    responses: file('A page.', 'text/html'),
    security: noScheme,
  },
  pageFile: {
    operationId: 'getPageFile',
    summary: 'A file of the pages for people',
    tags: ['Service'],
    parameters: [pathParameter('file', 'Name of the file.')],
    responses: file('The file.', '*/*'),
    security: noScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
