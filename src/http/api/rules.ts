import { eventSeverities } from '../../model/event.js';
import type { Operation, Schema } from './description.js';
import {
  anyScheme,
  badCoding,
  json,
  optionalText,
  refusal,
  shared,
  time,
  unauthorized,
  unavailable,
} from './shared.js';

const names: Schema = { type: 'array', items: { type: 'string' } };
const severity: Schema = { type: 'string', enum: eventSeverities };
const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };

function record(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function listOf(items: Schema, more: Readonly<Record<string, Schema>> = {}): Schema {
  return record({ ...more, records: { type: 'array', items } });
}

/** Rules and notifications. */
export const ruleSchemas: Readonly<Record<string, Schema>> = {
  Rule: record({
    name: text,
    kind: { type: 'string', enum: ['value', 'absence', 'query'] },
    database: text,
    table: { type: 'string', description: 'Empty for rules with a query.' },
    severity,
    condition: { type: 'string', description: 'In words.' },
    toml: { type: 'string', description: 'As it may stand in the settings file.' },
  }),
  Rules: listOf(shared('Rule'), { loadedTime: time }),
  RuleChanges: record({ rules: count, added: names, changed: names, removed: names }),
  RuleTrial: listOf(
    record({
      elementId: text,
      title: text,
      severity,
      value: { type: ['number', 'null'] },
      rows: { type: ['integer', 'null'], description: 'Rows that break the rule.' },
    }),
    { name: text, looked: { type: 'string', description: 'The checked data.' }, total: count },
  ),
  Notifications: listOf(
    record({
      kind: { type: 'string', enum: ['webhook', 'mail'] },
      target: { type: 'string', description: 'Where it leads, without secrets.' },
      sent: count,
      failed: count,
      waiting: count,
      lastSentTime: { type: ['integer', 'null'], format: 'int64', description: 'Unix time in milliseconds.' },
      problem: { ...optionalText, description: 'Why the last attempt failed.' },
    }),
  ),
  NotificationTests: listOf(
    record({ kind: { type: 'string', enum: ['webhook', 'mail'] }, target: text, problem: optionalText }),
  ),
};

const forbidden = refusal('The user is no administrator.');
const common = { 401: unauthorized, 403: forbidden, 503: unavailable } as const;

/** Rules are listed, tried and read again; operators are notified of events. Administrators only. */
export const ruleOperations = {
  list: {
    operationId: 'getRules',
    summary: 'List the rules',
    description: 'The rules that make events. Administrators only.',
    tags: ['Rules'],
    responses: { 200: json('The rules.', shared('Rules')), ...common },
    security: anyScheme,
  },
  reload: {
    operationId: 'reloadRules',
    summary: 'Read the rules again',
    description:
      'Reads the settings again and continues with their rules. Other settings stay as they are. Open events of rules that are gone are resolved. Administrators only.',
    tags: ['Rules'],
    responses: {
      200: json('What has changed.', shared('RuleChanges')),
      400: refusal('The settings cannot be read, or a rule cannot work; the old rules stay.'),
      500: refusal('The database failed; the old rules stay.'),
      ...common,
    },
    security: anyScheme,
  },
  try: {
    operationId: 'tryRule',
    summary: 'Try a rule',
    description: 'What a rule would find if it looked now. Nothing is kept of it. Administrators only.',
    tags: ['Rules'],
    requestBody: {
      description: 'The rule in TOML, as it stands in the settings file.',
      required: true,
      content: {
        'application/toml': {
          schema: { type: 'string' },
        },
      },
    },
    responses: {
      200: json('What it found.', shared('RuleTrial')),
      400: refusal('The rule cannot be read or cannot work.'),
      415: badCoding,
      500: refusal('The database failed; a retry may help.'),
      ...common,
    },
    security: anyScheme,
  },
  notifications: {
    operationId: 'getNotifications',
    summary: 'Who is notified of events',
    description: 'The channels of the settings and how they do. Administrators only.',
    tags: ['Rules'],
    responses: { 200: json('The channels.', shared('Notifications')), ...common },
    security: anyScheme,
  },
  testNotifications: {
    operationId: 'testNotifications',
    summary: 'Send a test message',
    description: 'Sends a message over every channel now, once. Administrators only.',
    tags: ['Rules'],
    responses: { 200: json('What became of each.', shared('NotificationTests')), ...common },
    security: anyScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
