import { statementStates } from '../../model/slow-statement.js';
import type { Operation, Schema } from './description.js';
import { anyScheme, json, refusal, shared, unauthorized, unavailable } from './shared.js';

/** `SlowStatement` and `SlowStatements`. */
export const statementSchemas: Readonly<Record<string, Schema>> = {
  SlowStatement: {
    type: 'object',
    properties: {
      id: { type: 'integer', description: 'Counts the statements since the start of the service.' },
      user: { type: 'string' },
      database: { type: ['string', 'null'], description: 'The database of the address.' },
      sql: { type: 'string', description: 'The beginning of the statement, with passwords masked.' },
      state: { type: 'string', enum: statementStates },
      startTime: { type: 'integer', format: 'int64', description: 'Unix time in milliseconds.' },
      durationMs: { type: 'number', description: 'Until now while it runs; otherwise until its last row has left.' },
      waitedMs: { type: 'number', description: 'How much of that it waited for a slot, behind other statements.' },
      error: {
        description: 'Why it failed.',
        oneOf: [shared('Error'), { type: 'null' }],
      },
    },
    required: ['id', 'user', 'database', 'sql', 'state', 'startTime', 'durationMs', 'waitedMs', 'error'],
  },
  SlowStatements: {
    type: 'object',
    properties: {
      thresholdMs: { type: 'number', description: 'How long a statement takes that counts as slow; 0 is: none does.' },
      records: { type: 'array', items: shared('SlowStatement'), description: 'Those that run, then the newest first.' },
    },
    required: ['thresholdMs', 'records'],
  },
};

/** Descriptions of the lists of slow statements. */
export const statementOperations = {
  slow: {
    operationId: 'getSlowStatements',
    summary: 'Slow statements',
    description:
      'Statements that took longer than `monitor.slowStatement`, at most the newest 200. Administrators only.',
    tags: ['Service'],
    responses: {
      200: json('The list.', shared('SlowStatements')),
      401: unauthorized,
      403: refusal('The user is no administrator.'),
      503: unavailable,
    },
    security: anyScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
