import { eventSeverities, eventSources, eventStatuses } from '../../model/event.js';
import type { IntegerParameter, Operation, Parameter, Schema, TextParameter, WordParameter } from './description.js';
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

/** Longest element id, and longest comment, in characters. */
const maxElementIdLength = 512;
/** Longest comment on a move of an event, in UTF-16 units. */
export const maxCommentLength = 2000;

const lastInstant = 8_640_000_000_000_000;
const timeSchema = { type: 'integer', format: 'int64', minimum: 0, maximum: lastInstant } as const;

/** The filters and the page of the list. */
export const eventParameters = {
  from: {
    name: 'from',
    in: 'query',
    description: 'Events that had not ended by then: Unix time in milliseconds.',
    schema: timeSchema,
  },
  to: {
    name: 'to',
    in: 'query',
    description: 'Events that had begun by then: Unix time in milliseconds.',
    schema: timeSchema,
  },
  status: {
    name: 'status',
    in: 'query',
    description: 'Events in this state.',
    schema: { type: 'string', enum: eventStatuses },
  },
  severity: {
    name: 'severity',
    in: 'query',
    description: 'Events of this severity.',
    schema: { type: 'string', enum: eventSeverities },
  },
  elementId: {
    name: 'elementId',
    in: 'query',
    description: 'Events of this element.',
    schema: { type: 'string', minLength: 1, maxLength: maxElementIdLength },
  },
  pageNum: {
    name: 'pageNum',
    in: 'query',
    description: 'Page, counted from 1.',
    schema: { type: 'integer', minimum: 1, maximum: 2_147_483_647, default: 1 },
  },
  pageSize: {
    name: 'pageSize',
    in: 'query',
    description: 'Events on a page.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 20 },
  },
  asOf: {
    name: 'asOf',
    in: 'query',
    description: '`asOf` of an earlier page: events that came later are left out, so that pages do not shift.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
} as const satisfies {
  readonly from: IntegerParameter;
  readonly to: IntegerParameter;
  readonly status: WordParameter<(typeof eventStatuses)[number]>;
  readonly severity: WordParameter<(typeof eventSeverities)[number]>;
  readonly elementId: TextParameter;
  readonly pageNum: IntegerParameter;
  readonly pageSize: IntegerParameter;
  readonly asOf: IntegerParameter;
};

const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  description: 'The event.',
  required: true,
  schema: { type: 'string', minLength: 1 },
};

const optionalTime: Schema = { type: ['integer', 'null'], format: 'int64', description: 'Unix time in milliseconds.' };
const optionalNumber: Schema = { type: ['number', 'null'] };

/** `Event` and `EventPage`. */
export const eventSchemas: Readonly<Record<string, Schema>> = {
  Event: {
    type: 'object',
    description: 'Something that needs, or needed, the attention of a person.',
    properties: {
      id: { type: 'string' },
      status: { type: 'string', enum: eventStatuses },
      severity: { type: 'string', enum: eventSeverities },
      elementId: { type: 'string', description: 'What the event is about.' },
      title: { type: 'string' },
      description: { type: 'string' },
      source: { type: 'string', enum: eventSources },
      rule: { type: 'string', description: 'Name of the rule that raised it.' },
      value: { ...optionalNumber, description: 'The value that broke the rule.' },
      threshold: { ...optionalNumber, description: 'The value it was held against.' },
      count: { type: 'integer', minimum: 1, description: 'How many times it was seen while it was open.' },
      startTime: time,
      lastSeenTime: time,
      endTime: optionalTime,
      acknowledgedBy: optionalText,
      acknowledgedAt: optionalTime,
      resolvedBy: optionalText,
      resolvedAt: optionalTime,
      comment: { ...optionalText, description: 'Comment of its last change.' },
      attributes: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: [
      'id',
      'status',
      'severity',
      'elementId',
      'title',
      'description',
      'source',
      'count',
      'startTime',
      'lastSeenTime',
      'attributes',
    ],
  },
  EventPage: {
    type: 'object',
    properties: {
      total: { type: 'integer', minimum: 0, description: 'Events that match, on all pages.' },
      pageNum: { type: 'integer', minimum: 1 },
      pageSize: { type: 'integer', minimum: 1 },
      asOf: { type: 'integer', minimum: 0, description: 'Rises with every event that comes.' },
      records: { type: 'array', items: shared('Event'), description: 'Newest first.' },
    },
    required: ['total', 'pageNum', 'pageSize', 'asOf', 'records'],
  },
  MovedEvent: {
    description: 'The event after the move.',
    allOf: [
      shared('Event'),
      {
        type: 'object',
        properties: { changed: { type: 'boolean', description: 'False when it was in this state already.' } },
        required: ['changed'],
      },
    ],
  },
};

/** The optional body of a move. */
const moveBodySchema = {
  type: 'object',
  properties: { comment: { ...optionalText, maxLength: maxCommentLength } },
  additionalProperties: false,
} as const satisfies Schema;

const moveBody = {
  description: 'What there is to say about it.',
  required: false,
  content: { 'application/json': { schema: moveBodySchema } },
} as const;

const failed = refusal('The database failed; a retry may help.');
const badBody = refusal('The body is not what it may be.');
const forbidden = refusal('The user may read the event, but not move it.');
const notFound = refusal('There is no such event.');
/** Answers about an event that was to be acknowledged or resolved. */
const moved = {
  200: json('The event as it is now.', shared('MovedEvent')),
  400: badBody,
  401: unauthorized,
  403: forbidden,
  404: notFound,
  415: badCoding,
  500: failed,
  503: unavailable,
};

/** The four operations on events. */
export const eventOperations = {
  list: {
    operationId: 'apiV1EventsGet',
    summary: 'List events',
    description:
      'One page of the events that match all filters, newest first. An event matches a range of time when it overlaps it.',
    tags: ['Event Resource'],
    parameters: Object.values(eventParameters),
    responses: {
      200: json('A page of events.', shared('EventPage')),
      400: refusal('A parameter is not what it may be; the description names it.'),
      401: unauthorized,
      500: failed,
      503: unavailable,
    },
    security: anyScheme,
  },
  get: {
    operationId: 'apiV1EventsIdGet',
    summary: 'Get one event',
    tags: ['Event Resource'],
    parameters: [idParameter],
    responses: {
      200: json('The event.', shared('Event')),
      401: unauthorized,
      404: notFound,
      500: failed,
      503: unavailable,
    },
    security: anyScheme,
  },
  acknowledge: {
    operationId: 'apiV1EventsIdAcknowledgePut',
    summary: 'Acknowledge an event',
    description: 'Somebody has it. Repeating it is harmless.',
    tags: ['Event Resource'],
    parameters: [idParameter],
    requestBody: moveBody,
    responses: { ...moved, 409: refusal('The event is resolved already.') },
    security: anyScheme,
  },
  resolve: {
    operationId: 'apiV1EventsIdResolvePut',
    summary: 'Resolve an event',
    description: 'It is over. Repeating it is harmless.',
    tags: ['Event Resource'],
    parameters: [idParameter],
    requestBody: moveBody,
    responses: moved,
    security: anyScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
