import { precisionWords } from '../request/parameters.js';
import type { Operation, Parameter, Schema } from './description.js';
import {
  ackParameter,
  codingReason,
  commonRefusals,
  json,
  lineBody,
  noScheme,
  shared,
  writeAnswers,
} from './shared.js';

const badLine: Schema = {
  type: 'object',
  properties: {
    original_line: { type: 'string' },
    line_number: { type: 'integer' },
    error_message: { type: 'string' },
  },
};

/** `InfluxError`, `InfluxLinesError`, `InfluxBucketError` and `InfluxResults`. */
export const influxSchemas: Readonly<Record<string, Schema>> = {
  InfluxError: {
    type: 'object',
    description: 'Why a request was refused, as clients of version 1 read it.',
    properties: { error: { type: 'string' }, code: { type: 'integer' }, desc: { type: 'string' } },
    required: ['error', 'code', 'desc'],
  },
  InfluxLinesError: {
    type: 'object',
    description: 'Why a request was refused, as clients of version 3 read it.',
    properties: {
      error: { type: 'string' },
      data: {
        description:
          'The first bad lines, each with its number from 1, its beginning and the reason; with `accept_partial=false` the first one alone.',
        oneOf: [{ type: 'array', items: badLine }, badLine],
      },
      code: { type: 'integer' },
      desc: { type: 'string' },
    },
    required: ['error', 'code', 'desc'],
  },
  InfluxBucketError: {
    type: 'object',
    description: 'Why a request was refused, as clients of version 2 read it.',
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      op: { type: 'string' },
      line: { type: 'integer', description: 'The first bad line, counted from 1.' },
      desc: { type: 'string' },
    },
    required: ['code', 'message', 'desc'],
  },
  InfluxResults: {
    type: 'object',
    properties: { results: { type: 'array', items: { type: 'object' } } },
    required: ['results'],
  },
};

const security: Operation['security'] = [
  { basic: [] },
  { influxToken: [] },
  { lineprotoUser: [], lineprotoPassword: [] },
];

function name(parameter: string, description: string): Parameter {
  return { name: parameter, in: 'query', description, required: true, schema: { type: 'string', minLength: 1 } };
}

const precision: Parameter = {
  name: 'precision',
  in: 'query',
  description: 'Unit of the timestamps.',
  schema: { type: 'string', enum: precisionWords, default: 'ns' },
};

const precision3: Parameter = {
  ...precision,
  description: 'Unit of the timestamps; `auto` derives that of each from its size.',
  schema: { type: 'string', enum: ['auto', 'nanosecond', 'microsecond', 'millisecond', 'second'], default: 'auto' },
};

const acceptPartial: Parameter = {
  name: 'accept_partial',
  in: 'query',
  description: 'Whether good lines are stored beside bad ones. If not, the body may have at most 4 MiB.',
  schema: { type: 'boolean', default: true },
};

function writing(error: 'InfluxError' | 'InfluxLinesError' | 'InfluxBucketError'): Operation['responses'] {
  const tooLong = json(
    'The body inflates to more than `limits.inflatedBytes`; the lines before that may be stored.',
    shared(error),
  );
  return { ...writeAnswers(error, 'lines'), 413: tooLong };
}

const bucket: Schema = {
  type: 'object',
  description: 'A database. `id` is its name, too.',
  properties: {
    id: { type: 'string' },
    orgID: { type: 'string' },
    type: { const: 'user' },
    name: { type: 'string' },
    labels: { type: 'array' },
    retentionRules: {
      type: 'array',
      items: { type: 'object', properties: { type: { const: 'expire' }, everySeconds: { type: 'integer' } } },
    },
  },
  required: ['name'],
};

const bucketId: Parameter = {
  name: 'id',
  in: 'path',
  description: 'Name of the database.',
  required: true,
  schema: { type: 'string', minLength: 1 },
};

const noBucket = json('There is no such database, or the user does not see it.', shared('InfluxBucketError'));
const bucketRefusals = commonRefusals('InfluxBucketError');

function choice(parameter: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name: parameter, in: 'query', description, schema };
}

const query = {
  summary: 'What clients of InfluxDB query before and after they write',
  description:
    '`CREATE DATABASE name [WITH DURATION …]`, `DROP DATABASE name`, `SHOW DATABASES` and `SHOW RETENTION POLICIES [ON name]`. `CREATE`, `ALTER` and `DROP RETENTION POLICY` are answered with a warning and change nothing. Anything else is 400.',
  tags: ['Writes'],
  responses: {
    200: json('A result for each statement.', shared('InfluxResults')),
    400: json('A statement that is not answered here.', shared('InfluxError')),
    413: json('The statements are too long.', shared('InfluxError')),
    415: json(codingReason, shared('InfluxError')),
    ...commonRefusals('InfluxError'),
  },
  security,
} as const satisfies Omit<Operation, 'operationId'>;

const readiness = {
  200: json('The service takes work.', { type: 'object' }),
  503: json('The memory guard refuses work.', { type: 'object' }),
};

/** The paths of InfluxDB itself, for clients whose address alone is changed. */
export const influxOperations = {
  write1: {
    operationId: 'influxWrite',
    summary: 'Write line protocol as clients of InfluxDB 1 do',
    tags: ['Writes'],
    parameters: [name('db', 'Database.'), precision, ackParameter],
    requestBody: lineBody,
    responses: writing('InfluxError'),
    security,
  },
  write2: {
    operationId: 'influxBucketWrite',
    summary: 'Write line protocol as clients of InfluxDB 2 do',
    tags: ['Writes'],
    parameters: [name('bucket', 'Database; what follows a slash in it means nothing here.'), precision, ackParameter],
    requestBody: lineBody,
    responses: writing('InfluxBucketError'),
    security,
  },
  write3: {
    operationId: 'influxLinesWrite',
    summary: 'Write line protocol as clients of InfluxDB 3 do',
    tags: ['Writes'],
    parameters: [name('db', 'Database.'), precision3, acceptPartial, ackParameter],
    requestBody: lineBody,
    responses: writing('InfluxLinesError'),
    security,
  },
  buckets: {
    operationId: 'influxBuckets',
    summary: 'Databases as clients of InfluxDB 2 list them',
    tags: ['Writes'],
    parameters: [
      choice('name', 'Only the database of this name.'),
      choice('id', 'Only the database of this name.'),
      choice('org', 'Organization; it means nothing here.'),
      choice('after', 'Only names behind this one.'),
      choice('offset', 'How many are passed over.', { type: 'integer', minimum: 0, default: 0 }),
      choice('limit', 'The most that are listed; left out: all.', { type: 'integer', minimum: 0 }),
    ],
    responses: {
      200: json('The databases that the user sees.', {
        type: 'object',
        properties: {
          links: {
            type: 'object',
            properties: { self: { type: 'string' }, next: { type: 'string', description: 'Where the others are.' } },
          },
          buckets: { type: 'array', items: bucket },
        },
        required: ['links', 'buckets'],
      }),
      ...bucketRefusals,
    },
    security,
  },
  newBucket: {
    operationId: 'influxNewBucket',
    summary: 'Make a database as clients of InfluxDB 2 do',
    description:
      'It has nanoseconds, and keeps rows for `everySeconds`, a day at least; for 0 or none, as long as a database can.',
    tags: ['Writes'],
    requestBody: {
      description: 'What it is like.',
      required: true,
      content: { 'application/json': { schema: bucket } },
    },
    responses: {
      201: json('The database is there.', bucket),
      400: json('It has no name, or one that databases cannot have.', shared('InfluxBucketError')),
      403: json('The user may not make databases.', shared('InfluxBucketError')),
      413: json('The body is too long.', shared('InfluxBucketError')),
      415: json(codingReason, shared('InfluxBucketError')),
      422: json('There is a database of that name already.', shared('InfluxBucketError')),
      ...bucketRefusals,
    },
    security,
  },
  bucket: {
    operationId: 'influxBucket',
    summary: 'One database as clients of InfluxDB 2 see it',
    tags: ['Writes'],
    parameters: [bucketId],
    responses: { 200: json('The database.', bucket), 404: noBucket, ...bucketRefusals },
    security,
  },
  changeBucket: {
    operationId: 'influxChangeBucket',
    summary: 'Change how long a database keeps rows as clients of InfluxDB 2 do',
    tags: ['Writes'],
    parameters: [bucketId],
    requestBody: {
      description: 'Its `retentionRules`; a name must be the one that it has, and all else means nothing.',
      required: true,
      content: { 'application/json': { schema: bucket } },
    },
    responses: {
      200: json('The database.', bucket),
      400: json('A change that databases do not take.', shared('InfluxBucketError')),
      403: json('The user may not change the database.', shared('InfluxBucketError')),
      404: noBucket,
      413: json('The body is too long.', shared('InfluxBucketError')),
      415: json(codingReason, shared('InfluxBucketError')),
      ...bucketRefusals,
    },
    security,
  },
  dropBucket: {
    operationId: 'influxDropBucket',
    summary: 'Drop a database as clients of InfluxDB 2 do',
    tags: ['Writes'],
    parameters: [bucketId],
    responses: {
      204: { description: 'It is gone.' },
      403: json('The user may not drop the database.', shared('InfluxBucketError')),
      404: noBucket,
      ...bucketRefusals,
    },
    security,
  },
  organization: {
    operationId: 'influxOrganization',
    summary: 'One organization as clients of InfluxDB 2 request it',
    tags: ['Writes'],
    parameters: [{ ...bucketId, description: 'Its name; organizations mean nothing here.' }],
    responses: { 200: json('One of that name.', { type: 'object' }), ...bucketRefusals },
    security,
  },
  organizations: {
    operationId: 'influxOrganizations',
    summary: 'The organization that a client of InfluxDB 2 requests',
    tags: ['Writes'],
    parameters: [choice('org', 'Its name; organizations mean nothing here.')],
    responses: {
      200: json('One of that name.', {
        type: 'object',
        properties: { orgs: { type: 'array', items: { type: 'object' } } },
      }),
      ...bucketRefusals,
    },
    security,
  },
  query: {
    operationId: 'influxQuery',
    ...query,
    parameters: [name('q', 'Statements, with semicolons between them.')],
  },
  queryForm: {
    operationId: 'influxQueryForm',
    ...query,
    requestBody: {
      description: 'The statements as `q`, unless the query string has it.',
      required: false,
      content: {
        'application/x-www-form-urlencoded': {
          schema: { type: 'object', properties: { q: { type: 'string' }, db: { type: 'string' } } },
        },
      },
    },
  },
  ping: {
    operationId: 'influxPing',
    summary: 'Health and version as clients of InfluxDB request them',
    tags: ['Service'],
    parameters: [
      { name: 'verbose', in: 'query', description: 'The version as a body, too.', schema: { type: 'boolean' } },
    ],
    responses: {
      200: json('The version.', { type: 'object', properties: { version: { type: 'string' } } }),
      204: { description: 'The service takes work.' },
      503: { description: 'The memory guard refuses work.' },
    },
    security: noScheme,
  },
  health: {
    operationId: 'influxHealth',
    summary: 'Health as clients of InfluxDB 2 request it',
    tags: ['Service'],
    responses: readiness,
    security: noScheme,
  },
  ready: {
    operationId: 'influxReady',
    summary: 'Since when the service is up, as clients of InfluxDB 2 request it',
    tags: ['Service'],
    responses: readiness,
    security: noScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
