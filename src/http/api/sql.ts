import type { Operation, Parameter, Schema } from './description.js';
import {
  ackParameter,
  anyScheme,
  badCoding,
  json,
  pathParameter,
  refusal,
  requestWord,
  shared,
  unauthorized,
  unavailable,
} from './shared.js';

/** Most names in one request for vgroups. */
export const maxVgroupNames = 100_000;

/** `SqlRows`, `VgroupId` and `VgroupIds`. */
export const sqlSchemas: Readonly<Record<string, Schema>> = {
  SqlRows: {
    type: 'object',
    description: 'The answer of a statement. One without rows answers one row, `affected_rows`.',
    properties: {
      code: { const: 0 },
      column_meta: {
        type: 'array',
        description: 'One entry a column: name, type, length in bytes.',
        items: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'string' }, { type: 'integer' }],
          minItems: 3,
          maxItems: 3,
        },
        examples: [
          [
            ['ts', 'TIMESTAMP', 8],
            ['v', 'DOUBLE', 8],
          ],
        ],
      },
      data: {
        type: 'array',
        description: 'Rows: arrays in the order of the columns, or objects with `row_with_meta=true`.',
        items: { type: ['array', 'object'] },
      },
      rows: { type: 'integer', minimum: 0, description: 'Number of rows in `data`.' },
    },
    required: ['code', 'column_meta', 'data', 'rows'],
  },
  VgroupId: {
    type: 'object',
    properties: { code: { const: 0 }, vgID: { type: 'integer' } },
    required: ['code', 'vgID'],
  },
  VgroupIds: {
    type: 'object',
    properties: { code: { const: 0 }, vgIDs: { type: 'array', items: { type: 'integer' } } },
    required: ['code', 'vgIDs'],
  },
};

const parameters: readonly Parameter[] = [
  {
    name: 'tz',
    in: 'query',
    description: 'Zone that returned times are printed in: an IANA name, or `Local`.',
    schema: { type: 'string', default: 'UTC', examples: ['Europe/Paris'] },
  },
  {
    name: 'conn_tz',
    in: 'query',
    description: 'As `tz`, and also the zone of times that the statement writes without one.',
    schema: { type: 'string', examples: ['Europe/Paris'] },
  },
  requestWord,
  {
    name: 'row_with_meta',
    in: 'query',
    description: 'Rows as objects by column name.',
    schema: { type: 'boolean', default: false },
  },
  ackParameter,
];

const database = pathParameter('db', 'Database of names that have none.');

const run = {
  summary: 'Run a statement',
  description:
    'One statement as plain text, rows as JSON. Errors of the database come with status 200 and a `code` other than 0, unless the service runs with `httpCodeServerError`.',
  tags: ['SQL'],
  requestBody: {
    description: 'The statement. It may be wrapped in gzip (`Content-Encoding`).',
    required: true,
    content: { 'text/plain': { schema: { type: 'string' }, example: 'SELECT SERVER_VERSION()' } },
  },
  responses: {
    200: json('Rows, or an error of the database.', { oneOf: [shared('SqlRows'), shared('Error')] }),
    400: refusal('A parameter is not what it may be, or there is no statement.'),
    401: unauthorized,
    415: badCoding,
    500: refusal('An error of the database, with `httpCodeServerError`.'),
    502: refusal('The database is away, with `httpCodeServerError`.'),
    503: unavailable,
  },
  security: anyScheme,
} as const satisfies Omit<Operation, 'operationId'>;

/** Statements, and what clients of several nodes request to spread their rows. */
export const sqlOperations = {
  run: { operationId: 'runSql', ...run, parameters },
  runIn: { operationId: 'runSqlIn', ...run, parameters: [database, ...parameters] },
  vgroup: {
    operationId: 'getVgroup',
    summary: 'Vgroup of a table',
    description: 'The table need not exist, the database must.',
    tags: ['SQL'],
    parameters: [
      { name: 'db', in: 'query', description: 'Database.', required: true, schema: { type: 'string', minLength: 1 } },
      { name: 'table', in: 'query', description: 'Table.', required: true, schema: { type: 'string', minLength: 1 } },
    ],
    responses: {
      200: json('The vgroup, or an error of the database.', { oneOf: [shared('VgroupId'), shared('Error')] }),
      400: refusal('A parameter is missing.'),
      401: unauthorized,
      503: unavailable,
    },
    security: anyScheme,
  },
  vgroups: {
    operationId: 'getVgroups',
    summary: 'Vgroups of tables',
    tags: ['SQL'],
    parameters: [pathParameter('db', 'Database.')],
    requestBody: {
      description: 'Names of tables.',
      required: true,
      content: {
        'application/json': {
          schema: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: maxVgroupNames },
          example: ['d1', 'd2'],
        },
      },
    },
    responses: {
      200: json('The vgroups in the order of the tables, or an error of the database.', {
        oneOf: [shared('VgroupIds'), shared('Error')],
      }),
      400: refusal('The body is not an array of names.'),
      401: unauthorized,
      415: badCoding,
      503: unavailable,
    },
    security: anyScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
