import type { Answer, Operation, Parameter, Schema } from './description.js';
import { anyScheme, json, pathParameter, shared, unavailable } from './shared.js';

/** Shared schemas of the HTTP API of Prometheus. */
export const prometheusSchemas: Readonly<Record<string, Schema>> = {
  PrometheusError: {
    type: 'object',
    description: 'Why a request was refused, in the form of Prometheus.',
    properties: {
      status: { const: 'error' },
      errorType: {
        type: 'string',
        description:
          'bad_data, execution, timeout, canceled, unauthorized, forbidden, not_found, unavailable or internal.',
      },
      error: { type: 'string', description: 'The reason in words.' },
    },
    required: ['status', 'errorType', 'error'],
  },
  PrometheusAnswer: {
    type: 'object',
    description: 'The answer in the form of Prometheus.',
    properties: {
      status: { const: 'success' },
      data: {},
      warnings: { type: 'array', items: { type: 'string' } },
      infos: { type: 'array', items: { type: 'string' } },
    },
    required: ['status', 'data'],
  },
};

const error = shared('PrometheusError');

const refusals: Readonly<Record<string, Answer>> = {
  400: json('A parameter is missing or wrong, or the expression is none.', error),
  401: json('No credentials, or wrong ones.', error),
  403: json('The user may not read there.', error),
  404: json('There is no such database.', error),
  422: json('The expression cannot be evaluated: a limit, or values that do not fit together.', error),
  500: json('The database failed; a retry may help.', error),
  503: { ...unavailable, description: `The time of the query is over, or: ${unavailable.description}` },
};

function inQuery(name: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name, in: 'query', description, schema };
}

function inForm(parameters: readonly Parameter[]): Operation['requestBody'] {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  return {
    description: 'The parameters as a form; those of the URL count, too.',
    required: false,
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } },
  };
}

const time = 'Unix seconds with or without a fraction, or a time by RFC 3339';
const expression: Parameter = {
  ...inQuery('query', 'Expression in PromQL.'),
  required: true,
  example: 'rate(http_requests_total[5m])',
};
const start = inQuery('start', `Begin of the range: ${time}.`);
const end = inQuery('end', `End of the range, itself included: ${time}.`);
const limit = inQuery('limit', 'Most items of the answer; 0 is no limit. A warning tells of a cut.', {
  type: 'integer',
  minimum: 0,
});
const matches = inQuery('match[]', 'Selector of series; several are possible.', {
  type: 'array',
  items: { type: 'string' },
});
const options = [
  inQuery('timeout', 'Longest time of the query, in seconds or with units; `promql.timeout` is the longest.'),
  inQuery('lookback_delta', 'Age of a sample up to which it counts; left out, `promql.lookback`.'),
  limit,
  inQuery('stats', '`all` adds figures of the evaluation.'),
] as const;

/** What the two paths of an endpoint have in common: with the database, and without it. */
interface EndpointText {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly path?: readonly Parameter[];
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** Descriptions of an endpoint by GET and by POST. */
interface EndpointOperations {
  readonly get: Operation;
  readonly post: Operation;
}

const database = pathParameter('db', 'Database.');
const success: Readonly<Record<string, Answer>> = { 200: json('The data.', shared('PrometheusAnswer')) };

function operationsOf({ id, summary, description, parameters = [], path = [], answers = success }: EndpointText) {
  const common = {
    summary,
    ...(description === undefined ? {} : { description }),
    tags: ['PromQL'],
    responses: { ...answers, ...refusals },
    security: anyScheme,
  } as const;
  return (isNamed: boolean): EndpointOperations => {
    const ending = isNamed ? 'In' : '';
    const inPath = isNamed ? [database, ...path] : path;
    return {
      get: { operationId: `${id}${ending}`, ...common, parameters: [...inPath, ...parameters] },
      post: { operationId: `${id}Form${ending}`, ...common, parameters: inPath, requestBody: inForm(parameters)! },
    };
  };
}

/** Descriptions of the HTTP API of Prometheus; each is called with true for the path that names a database. */
export const prometheusOperations = {
  query: operationsOf({
    id: 'promqlQuery',
    summary: 'Evaluate an expression at one time',
    parameters: [expression, inQuery('time', `Time of the evaluation, now when it is left out: ${time}.`), ...options],
  }),
  query_range: operationsOf({
    id: 'promqlQueryRange',
    summary: 'Evaluate an expression at every step of a range',
    parameters: [expression, start, end, inQuery('step', 'Step in seconds or with units.'), ...options],
  }),
  series: operationsOf({
    id: 'promqlSeries',
    summary: 'Find series by selectors',
    parameters: [matches, start, end, limit],
  }),
  labels: operationsOf({
    id: 'promqlLabels',
    summary: 'List the names of labels',
    parameters: [matches, start, end, limit],
  }),
  label_values: operationsOf({
    id: 'promqlLabelValues',
    summary: 'List the values of a label',
    path: [pathParameter('name', 'Name of the label; other names than letters, digits and underscores as `U__…`.')],
    parameters: [matches, start, end, limit],
  }),
  metadata: operationsOf({
    id: 'promqlMetadata',
    summary: 'List types, helps and units of metrics',
    parameters: [
      inQuery('metric', 'Name of a metric; left out, all.'),
      limit,
      inQuery('limit_per_metric', 'Most entries of a metric; each has one.'),
    ],
  }),
  query_exemplars: operationsOf({
    id: 'promqlExemplars',
    summary: 'Find exemplars of the series in an expression',
    parameters: [expression, start, end],
  }),
  format_query: operationsOf({
    id: 'promqlFormat',
    summary: 'Print an expression in lines',
    parameters: [expression],
  }),
  parse_query: operationsOf({
    id: 'promqlParse',
    summary: 'Show the tree of an expression',
    parameters: [expression],
  }),
  tsdb: operationsOf({
    id: 'promqlTsdb',
    summary: 'Count series by metric',
    parameters: [limit],
  }),
  rules: operationsOf({
    id: 'promqlRules',
    summary: 'List the rules with expressions in PromQL',
  }),
  alerts: operationsOf({
    id: 'promqlAlerts',
    summary: 'List the alerts of these rules',
  }),
  federate: operationsOf({
    id: 'promqlFederate',
    summary: 'Give the newest samples as text',
    description: 'For Prometheus servers that pull.',
    parameters: [matches],
    answers: { 200: { description: 'Lines.', content: { 'text/plain': { schema: { type: 'string' } } } } },
  }),
  buildinfo: operationsOf({
    id: 'promqlBuildInfo',
    summary: 'Show the version of Prometheus whose API this is',
  }),
  config: operationsOf({
    id: 'promqlConfig',
    summary: 'Show an empty configuration, as clients ask for one',
  }),
} as const;
