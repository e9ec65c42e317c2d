import type { Answer, Operation } from './description.js';
import { anyScheme, pathParameter, requestIdParameter, unavailable } from './shared.js';

function said(description: string): Answer {
  return { description, content: { 'text/plain': { schema: { type: 'string' } } } };
}

const refusals: Readonly<Record<string, Answer>> = {
  400: said('The message, or a series in it, is bad; what is good is stored.'),
  401: said('No credentials, or wrong ones.'),
  403: said('The user may not do that there.'),
  404: said('There is no such database.'),
  415: said('The body is of a type, or compressed in a way, that is not taken.'),
  500: said('The database failed; a retry may help.'),
  503: unavailable,
};

const counted = (what: string) => ({ description: `${what} that were stored.`, schema: { type: 'integer' } }) as const;
const binary = { type: 'string', contentEncoding: 'binary' } as const;
const requestId = requestIdParameter({ minimum: 0 });
const message = 'A protobuf message as a snappy block.';

/** Remote write and remote read of a metrics system. */
export const metricsSystemOperations = {
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
