import { precisionWords } from '../request/parameters.js';
import type { Operation, Parameter, Schema } from './description.js';
import {
  ackParameter,
  databaseParameters,
  json,
  lineBody,
  pathParameter,
  requestId,
  shared,
  writeAnswers,
} from './shared.js';

const desc: Schema = { type: 'string', description: 'The message, as errors of `/rest` have it.' };

/** `LineError`, `PutError`, `PointError`, `PutCounts` and `Point`. */
export const writeSchemas: Readonly<Record<string, Schema>> = {
  LineError: {
    type: 'object',
    description: 'Why lines were not stored.',
    properties: {
      code: { type: 'string', enum: ['illegal param', 'not found', 'invalid', 'internal error', 'forbidden'] },
      message: { type: 'string' },
      op: { type: 'string' },
      err: { type: 'string' },
      line: { type: 'integer', description: 'The first bad line, counted from 1; 0 is no line in particular.' },
      desc,
    },
    required: ['code', 'message', 'desc'],
  },
  PutError: {
    type: 'object',
    description: 'Why points were not stored.',
    properties: { code: { type: 'integer', description: 'The status.' }, message: { type: 'string' }, desc },
    required: ['code', 'message'],
  },
  PointError: {
    type: 'object',
    description: 'Why points were not stored, as OpenTSDB reports it.',
    properties: { error: { $ref: '#/components/schemas/PutError' }, code: { type: 'integer' }, desc },
    required: ['error', 'code', 'desc'],
  },
  PutCounts: {
    type: 'object',
    description: 'How many points were stored, and how many were not.',
    properties: {
      success: { type: 'integer' },
      failed: { type: 'integer' },
      errors: { type: 'array', items: { type: 'object', properties: { error: { type: 'string' } } } },
    },
    required: ['success', 'failed'],
  },
  Point: {
    type: 'object',
    properties: {
      metric: { type: 'string' },
      timestamp: { type: 'integer', format: 'int64', description: 'Seconds or milliseconds, by its size.' },
      value: { type: 'number' },
      tags: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['metric', 'timestamp', 'value', 'tags'],
  },
};

const ttl: Parameter = {
  name: 'ttl',
  in: 'query',
  description: 'Days that sub-tables live which this write makes; 0 is for ever.',
  schema: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647, default: 0 },
};
const database = pathParameter('db', 'Database. It must exist unless the service runs with `smlAutoCreateDB`.');

const points = {
  description: 'One point or an array of them. The body may be wrapped in gzip or deflate (`Content-Encoding`).',
  required: true,
  content: {
    'application/json': {
      schema: { oneOf: [shared('Point'), { type: 'array', items: shared('Point') }] },
      example: [{ metric: 'sys.cpu', timestamp: 1700000000, value: 18, tags: { host: 'web01' } }],
    },
  },
} as const satisfies Operation['requestBody'];

const counted = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
});

/** Writes of agents in line protocol and in the two put formats. */
export const writeOperations = {
  lineproto: {
    operationId: 'writeLines',
    summary: 'Write line protocol',
    tags: ['Writes'],
    parameters: [
      { name: 'db', in: 'query', description: 'Database.', required: true, schema: { type: 'string', minLength: 1 } },
      {
        name: 'precision',
        in: 'query',
        description: 'Unit of the timestamps.',
        schema: { type: 'string', enum: precisionWords, default: 'ns' },
      },
      ttl,
      ackParameter,
      requestId,
    ],
    requestBody: lineBody,
    responses: writeAnswers('LineError'),
    security: [{ basic: [] }, { lineprotoUser: [], lineprotoPassword: [] }],
  },
  putJson: {
    operationId: 'putJson',
    summary: 'Write points as JSON',
    tags: ['Writes'],
    parameters: [database, ttl, ackParameter, requestId],
    requestBody: points,
    responses: writeAnswers('PutError'),
    security: [{ basic: [] }],
  },
  putPoints: {
    operationId: 'putPoints',
    summary: 'Write points as JSON, on the path of OpenTSDB',
    tags: ['Writes'],
    parameters: [
      ...databaseParameters,
      counted('summary', 'If given, the answer counts the points, with status 200, or 400 when some are bad.'),
      counted('details', 'The same, and says what is wrong.'),
      ackParameter,
      requestId,
    ],
    requestBody: points,
    responses: {
      ...writeAnswers('PointError'),
      200: json('All points are stored, and were to be counted.', shared('PutCounts')),
      400: json('A parameter is wrong, or points are bad; the good ones are stored.', {
        oneOf: [shared('PointError'), shared('PutCounts')],
      }),
      413: json('The body inflates to more than `limits.inflatedBytes`.', shared('PointError')),
    },
    security: [{ basic: [] }],
  },
  putTelnet: {
    operationId: 'putTelnet',
    summary: 'Write points as telnet lines',
    tags: ['Writes'],
    parameters: [database, ttl, ackParameter, requestId],
    requestBody: {
      description: 'Lines without the word `put`. The body may be wrapped in gzip or deflate (`Content-Encoding`).',
      required: true,
      content: { 'text/plain': { schema: { type: 'string' }, example: 'sys.cpu 1700000000 18 host=web01' } },
    },
    responses: writeAnswers('PutError'),
    security: [{ basic: [] }],
  },
} as const satisfies Readonly<Record<string, Operation>>;
