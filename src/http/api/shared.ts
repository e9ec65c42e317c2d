import type { Answer, Operation, Parameter, Schema } from './description.js';

/** A reference to one of {@link sharedSchemas}. */
export function shared(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `Error`: the body of every refusal of `/rest` and `/api`. */
export const errorSchema: Schema = {
  type: 'object',
  description: 'Why a request was refused.',
  properties: {
    code: { type: 'integer', description: 'Error code, never 0.' },
    desc: { type: 'string', description: 'The reason in words.' },
  },
  required: ['code', 'desc'],
};

/** An answer whose body is `{code, desc}`. */
export function refusal(description: string): Answer {
  return { description, content: { 'application/json': { schema: shared('Error') } } };
}

/** A JSON body. */
export function json(description: string, schema: Schema): Answer {
  return { description, content: { 'application/json': { schema } } };
}

/** The three schemes of the `Authorization` header. */
export const anyScheme: Operation['security'] = [{ basic: [] }, { bearer: [] }, { custom: [] }];

/** Operations without credentials. */
export const noScheme: Operation['security'] = [];

/** Refusals that most operations share. */
export const unauthorized = refusal('No credentials, or wrong ones.');
/** The 503 of every route that needs the database. */
export const unavailable = refusal(
  'The memory guard refuses (the body is then a plain text), the database is away, or the service is shutting down; `Retry-After` says when to come back.',
);

/** A segment of the path. */
export function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', description, required: true, schema: { type: 'string', minLength: 1 } };
}

/** `ack`, when a write is answered. */
export const ackParameter: Parameter = {
  name: 'ack',
  in: 'query',
  description:
    'When it is answered: once it is in the write-ahead log, or once the database has stored it; left out, `write.ack` says so.',
  schema: { type: 'string', enum: ['logged', 'stored'] },
};

const named = {
  name: 'req_id',
  in: 'query',
  description: 'Name of the request in the logs; left out or 0, the service makes one.',
} as const;
/** `req_id` of most routes, a number. */
export const requestId: Parameter = { ...named, schema: { type: 'integer', format: 'int64', minimum: 0 } };
/** `req_id` of the SQL routes, any word. */
export const requestWord: Parameter = { ...named, schema: { type: 'string', maxLength: 128 } };

/** A time in answers. */
export const time: Schema = { type: 'integer', format: 'int64', description: 'Unix time in milliseconds.' };
/** A text in answers that may be missing. */
export const optionalText: Schema = { type: ['string', 'null'] };

/** Why a body is refused with 415. */
export const codingReason = 'The body is compressed in a way that is not taken.';
/** The 415 of routes whose refusals are {@link errorSchema}. */
export const badCoding = refusal(codingReason);

/** A body of line protocol. */
export const lineBody = {
  description: 'Lines. The body may be wrapped in gzip or deflate (`Content-Encoding`).',
  required: true,
  content: {
    'text/plain': { schema: { type: 'string' }, example: 'weather,city=oslo temp=-3.5 1700000000000000000' },
  },
} as const;

/** Refusals of everything that needs credentials and the database; `error` is the schema of their bodies. */
export function commonRefusals(error: string) {
  const schema = shared(error);
  return {
    401: json('No credentials, or wrong ones.', schema),
    500: json('The database failed; a retry may help.', schema),
    503: unavailable,
  } as const;
}

/** Answers to a write; `error` is the schema of refusals, `rowWord` what the format calls rows. */
export function writeAnswers(error: string, rowWord = 'rows'): Readonly<Record<string, Answer>> {
  const schema = shared(error);
  return {
    204: { description: 'All of it is in the write-ahead log, or stored: see `ack`.' },
    400: json(`A parameter is wrong, or ${rowWord} are bad: the first is named, and the good ones are stored.`, schema),
    403: json('The user may not write there.', schema),
    404: json('There is no such database.', schema),
    415: json(codingReason, schema),
    ...commonRefusals(error),
  };
}

/** How requests whose path names no database name it. */
export const databaseParameters = [
  {
    name: 'db',
    in: 'query',
    description: 'Database; before the header, and both before the setting.',
    schema: { type: 'string' },
  },
  { name: 'X-Sluice-Db', in: 'header', description: 'Database.', schema: { type: 'string' } },
] as const satisfies readonly Parameter[];
