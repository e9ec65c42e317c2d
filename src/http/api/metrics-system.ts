import type { Answer, Operation, Schema } from './description.js';
import { ackParameter, anyScheme, databaseParameters, pathParameter, requestId, unavailable } from './shared.js';

function answer(description: string): Answer {
  return { description, content: { 'text/plain': { schema: { type: 'string' } } } };
}

const refusals: Readonly<Record<string, Answer>> = {
  400: answer('The message, or a series in it, is bad; what is good is stored.'),
  401: answer('No credentials, or wrong ones.'),
  403: answer('The user may not do that there.'),
  404: answer('There is no such database.'),
  415: answer('The body is of a type, or compressed in a way, that is not taken.'),
  500: answer('The database failed; a retry may help.'),
  503: unavailable,
};

const counted = (what: string) => ({ description: `${what} that were stored.`, schema: { type: 'integer' } }) as const;
const binary = { type: 'string', contentEncoding: 'binary' } as const;
const message = 'A protobuf message as a snappy block.';

const rpcStatus: Schema = {
  type: 'object',
  properties: { code: { type: 'integer', description: 'Code of gRPC.' }, message: { type: 'string' } },
};

function rpcAnswer(description: string, schema: Schema): Answer {
  return { description, content: { 'application/x-protobuf': { schema: binary }, 'application/json': { schema } } };
}

const push = {
  description: 'Further labels stand behind the job as `/<label>/<value>`.',
  tags: ['Metrics system'],
  parameters: [pathParameter('job', 'Value of the label `job`.'), ...databaseParameters],
  requestBody: {
    description:
      'Samples in the text exposition format; by the content type OpenMetrics, or delimited protobuf messages.',
    required: true,
    content: {
      'text/plain': { schema: { type: 'string' }, example: 'jobs_total 7\n' },
      'application/vnd.google.protobuf': { schema: binary },
    },
  },
  responses: { 200: { description: 'All samples are stored.' }, ...refusals },
  security: anyScheme,
} as const satisfies Omit<Operation, 'operationId' | 'summary'>;

/** Remote write and remote read of a metrics system, pushes as text, and metrics of OpenTelemetry. */
export const metricsSystemOperations = {
  otlpWrite: {
    operationId: 'otlpWrite',
    summary: 'Write metrics of OpenTelemetry',
    description: 'An `ExportMetricsServiceRequest`. Rejected points are reported as a partial success.',
    tags: ['Metrics system'],
    parameters: databaseParameters,
    requestBody: {
      description: 'The request. It may be wrapped in gzip or deflate (`Content-Encoding`).',
      required: true,
      content: { 'application/x-protobuf': { schema: binary }, 'application/json': { schema: { type: 'object' } } },
    },
    responses: {
      200: rpcAnswer('What is not reported is stored.', {
        type: 'object',
        properties: {
          partialSuccess: {
            type: 'object',
            properties: { rejectedDataPoints: { type: 'string' }, errorMessage: { type: 'string' } },
          },
        },
      }),
      400: rpcAnswer('The body is not such a message.', rpcStatus),
      401: rpcAnswer('No credentials, or wrong ones.', rpcStatus),
      403: rpcAnswer('The user may not write there.', rpcStatus),
      404: rpcAnswer('There is no such database.', rpcStatus),
      413: rpcAnswer('The body is longer than `limits.messageBytes`.', rpcStatus),
      415: rpcAnswer('The body is of a type, or compressed in a way, that is not taken.', rpcStatus),
      500: rpcAnswer('The database failed.', rpcStatus),
      503: unavailable,
    },
    security: anyScheme,
  },
  pushAdd: { operationId: 'pushAdd', summary: 'Push samples of a job', ...push },
  pushAll: { operationId: 'pushAll', summary: 'Push samples of a job, as above', ...push },
  pushDelete: {
    operationId: 'pushDelete',
    summary: 'Forget a job',
    description: 'What was pushed stays; clients that tidy up get a success.',
    tags: ['Metrics system'],
    parameters: [pathParameter('job', 'Value of the label `job`.')],
    responses: { 202: { description: 'Nothing is done.' }, ...refusals },
    security: anyScheme,
  },
  importText: {
    operationId: 'importText',
    summary: 'Import samples as text or protobuf',
    tags: ['Metrics system'],
    parameters: [
      {
        name: 'extra_label',
        in: 'query',
        description:
          'A label of all samples, `name=value`; it may come several times. An own label of that name is stored as `exported_<name>`.',
        schema: { type: 'string', examples: ['site=north'] },
      },
      ...databaseParameters,
    ],
    requestBody: push.requestBody,
    responses: { 204: { description: 'All samples are stored.' }, ...refusals },
    security: anyScheme,
  },
  remoteWrite: {
    operationId: 'remoteWrite',
    summary: 'Remote write',
    tags: ['Metrics system'],
    parameters: [
      pathParameter('db', 'Database. It must exist unless the service runs with `smlAutoCreateDB`.'),
      {
        name: 'ttl',
        in: 'query',
        description: 'Days that sub-tables live which this write makes; 0 is for ever.',
        schema: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647, default: 0 },
      },
      ackParameter,
      requestId,
    ],
    requestBody: {
      description: `${message} Versions 1 and 2 of the protocol.`,
      required: true,
      content: { 'application/x-protobuf': { schema: binary } },
    },
    responses: {
      204: {
        description: 'All samples are stored. The headers stand in answers to requests of version 2.',
        headers: {
          'X-Prometheus-Remote-Write-Samples-Written': counted('Samples'),
          'X-Prometheus-Remote-Write-Histograms-Written': counted('Histograms'),
          'X-Prometheus-Remote-Write-Exemplars-Written': counted('Exemplars'),
        },
      },
      ...refusals,
    },
    security: anyScheme,
  },
  remoteRead: {
    operationId: 'remoteRead',
    summary: 'Remote read',
    tags: ['Metrics system'],
    parameters: [pathParameter('db', 'Database.'), requestId],
    requestBody: {
      description: message,
      required: true,
      content: { 'application/x-protobuf': { schema: binary } },
    },
    responses: {
      200: {
        description: 'One result a query, as a snappy block.',
        content: { 'application/x-protobuf': { schema: binary } },
      },
      ...refusals,
    },
    security: anyScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
