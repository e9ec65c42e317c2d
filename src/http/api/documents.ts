import type { DocumentKind } from '../../model/document.js';
import type { IntegerParameter, Operation, Schema } from './description.js';
import {
  anyScheme,
  badCoding,
  json,
  pathParameter,
  refusal,
  shared,
  time,
  unauthorized,
  unavailable,
} from './shared.js';

/** Longest body of a request with a document, in bytes. */
export const maxDocumentBytes = 256 * 1024;

const title: Schema = { type: 'string', maxLength: 200 };
const database: Schema = { type: 'string', maxLength: 64, description: 'Empty if the query names its databases.' };
const query: Schema = { type: 'string', maxLength: 65_536 };
const language: Schema = { type: 'string', enum: ['sql', 'promql'] };
const range: Schema = {
  type: 'string',
  maxLength: 100,
  description: 'Time range: milliseconds that end now, two ISO times with a comma between them, or `all`.',
};

function closed(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const panel: Schema = closed(
  {
    title,
    language,
    query,
    database,
    graph: {
      type: 'string',
      enum: ['lines', 'bars', 'areas', 'values', 'heat', 'table'],
      description: 'How the rows are shown.',
    },
    unit: { type: 'string', maxLength: 32, description: 'Unit of the values.' },
    log: { type: 'boolean', description: 'True for a logarithmic axis.' },
    width: { type: 'integer', minimum: 1, maximum: 12, description: 'Columns of the grid, which has twelve.' },
    height: { type: 'integer', minimum: 1, maximum: 12, description: 'Rows of the grid, of 80 pixels.' },
  },
  ['title', 'language', 'query', 'database', 'graph', 'width', 'height'],
);

const variable: Schema = closed(
  {
    name: { type: 'string', minLength: 1, maxLength: 64, description: 'Written as `$name` in queries.' },
    kind: { type: 'string', enum: ['text', 'list'], description: 'A text to type, or a value of a list.' },
    value: { type: 'string', maxLength: 1_000, description: 'The value when the dashboard is opened.' },
    query: { ...query, description: 'SQL; its first column is the list.' },
    database,
  },
  ['name', 'kind', 'value'],
);

const dashboard: Schema = closed(
  {
    panels: { type: 'array', items: panel, maxItems: 100, description: 'In their order on the grid.' },
    variables: { type: 'array', items: variable, maxItems: 50 },
    range,
    refresh: { type: 'integer', minimum: 0, maximum: 86_400, description: 'Seconds between refreshes; 0 for none.' },
  },
  ['panels'],
);

const savedQuery: Schema = closed({ language, query, database, range }, ['language', 'query', 'database']);

const version: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The version that was read; another one by now is refused with 409.',
};

/** Bodies of the requests that make and replace documents of a kind. */
function bodies(content: Schema): { readonly create: Schema; readonly replace: Schema } {
  const properties = {
    name: { type: 'string', minLength: 1, maxLength: 200 },
    shared: { type: 'boolean', description: 'True if all users may read it.' },
    content,
  } as const satisfies Readonly<Record<string, Schema>>;
  return {
    create: closed(properties, ['name', 'content']),
    replace: closed({ ...properties, version }, ['name', 'shared', 'content', 'version']),
  };
}

/** The bodies by kind, which requests are checked against. */
export const documentBodies = {
  dashboard: bodies(dashboard),
  'saved-query': bodies(savedQuery),
} as const satisfies Readonly<Record<DocumentKind, object>>;

/** `version` of a DELETE. */
export const versionParameter = {
  name: 'version',
  in: 'query',
  description: 'The version that was read; another one by now is refused with 409.',
  required: true,
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
} as const satisfies IntegerParameter;

const listed = {
  id: { type: 'string' },
  name: { type: 'string' },
  owner: { type: 'string', description: 'The user who made it.' },
  shared: { type: 'boolean', description: 'True if all users may read it.' },
  version: { type: 'integer', minimum: 1, description: 'One more with each change.' },
  createdTime: time,
  updatedTime: time,
  updatedBy: { type: 'string' },
  mayChange: { type: 'boolean', description: 'True if you may change and delete it.' },
} as const satisfies Readonly<Record<string, Schema>>;

function record(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Dashboards and saved queries. */
export const documentSchemas: Readonly<Record<string, Schema>> = {
  DashboardContent: dashboard,
  SavedQueryContent: savedQuery,
  ListedDocument: record(listed),
  DocumentList: record({ records: { type: 'array', items: shared('ListedDocument') } }),
  Dashboard: record({ ...listed, content: shared('DashboardContent') }),
  SavedQuery: record({ ...listed, content: shared('SavedQueryContent') }),
};

const missing = refusal('There is none of this id that the user may read.');
const forbidden = refusal('The user may read it, but not change it: only its owner and the administrator may.');
const changed = refusal('Somebody else has changed it since this version.');
const badBody = refusal('The body is not what it may be; the description names the place.');
const common = {
  401: unauthorized,
  500: refusal('The database failed; a retry may help.'),
  503: unavailable,
} as const;

/** The five operations on documents of a kind: `noun` is one of them, `nouns` several, `Schema` the whole one. */
function operations(noun: string, nouns: string, names: readonly [one: string, many: string], kind: DocumentKind) {
  const [one, many] = names;
  const id = pathParameter('id', `The ${noun}.`);
  const body = (schema: Schema) => ({
    description: `The ${noun}, at most ${maxDocumentBytes / 1024} KiB.`,
    required: true,
    content: { 'application/json': { schema } },
  });
  return {
    list: {
      operationId: `get${many}`,
      summary: `List the ${nouns}`,
      description: 'Those of the user and those that are shared; all of them for the administrator.',
      tags: ['Documents'],
      responses: { 200: json(`The ${nouns}, without their contents.`, shared('DocumentList')), ...common },
      security: anyScheme,
    },
    get: {
      operationId: `get${one}`,
      summary: `Get a ${noun}`,
      tags: ['Documents'],
      parameters: [id],
      responses: { 200: json(`The ${noun}.`, shared(one)), 404: missing, ...common },
      security: anyScheme,
    },
    create: {
      operationId: `create${one}`,
      summary: `Make a ${noun}`,
      description: 'The user becomes its owner. It is private unless `shared` is true.',
      tags: ['Documents'],
      requestBody: body(documentBodies[kind].create),
      responses: {
        201: json(`The ${noun}, without its content.`, shared('ListedDocument')),
        400: badBody,
        415: badCoding,
        ...common,
      },
      security: anyScheme,
    },
    replace: {
      operationId: `replace${one}`,
      summary: `Replace a ${noun}`,
      tags: ['Documents'],
      parameters: [id],
      requestBody: body(documentBodies[kind].replace),
      responses: {
        200: json(`The ${noun} as it is now, without its content.`, shared('ListedDocument')),
        400: badBody,
        403: forbidden,
        404: missing,
        409: changed,
        415: badCoding,
        ...common,
      },
      security: anyScheme,
    },
    remove: {
      operationId: `delete${one}`,
      summary: `Delete a ${noun}`,
      tags: ['Documents'],
      parameters: [id, versionParameter],
      responses: {
        204: { description: 'It is gone.' },
        400: refusal('The version is missing or wrong.'),
        403: forbidden,
        404: missing,
        409: changed,
        ...common,
      },
      security: anyScheme,
    },
  } as const satisfies Readonly<Record<string, Operation>>;
}

/** Dashboards and saved queries are listed, read, made, replaced and deleted. */
export const documentOperations = {
  dashboard: operations('dashboard', 'dashboards', ['Dashboard', 'Dashboards'], 'dashboard'),
  'saved-query': operations('saved query', 'saved queries', ['SavedQuery', 'SavedQueries'], 'saved-query'),
} as const satisfies Readonly<Record<DocumentKind, object>>;
