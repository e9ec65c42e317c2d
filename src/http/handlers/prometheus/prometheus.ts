import type { PromqlAnswer, PromqlEndpoint, PromqlErrorType, PromqlRequest } from '../../../model/exchange.js';
import { Codes, type Fault } from '../../../model/fault.js';
import { refusalOf } from '../../answer/refusal.js';
import { jsonType, safeJson, sendChunks, sendJson } from '../../answer/reply.js';
import { sendRequest } from '../../answer/send-request.js';
import { isFault } from '../../request/auth.js';
import type { AdmittedCall, ErrorForm, Handler, HandlerContext, KnownCall, Reply } from '../../request/call.js';
import { collectBody } from '../../request/request-body.js';

/** Longest form of a request: an expression and its parameters. */
const maxFormBytes = 1024 * 1024;

/** Statuses by the kind of an error. */
const statuses: Readonly<Record<PromqlErrorType, number>> = {
  bad_data: 400,
  execution: 422,
  timeout: 503,
  canceled: 503,
};

/** Errors in the form of Prometheus: `{status, errorType, error}`. */
export const prometheusErrors: ErrorForm = ({ reply }, { status, message, fault }) => {
  const errorType = errorTypeOf(status, fault);
  return sendJson(reply, errorType === 'timeout' ? 503 : status, errorBody(errorType, message));
};

function errorTypeOf(status: number, { code }: Fault): string {
  if (code === Codes.queryTerminated) return 'timeout';
  if (code === Codes.queryKilled) return 'canceled';
  switch (status) {
    case 400:
    case 415:
      return 'bad_data';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 503:
      return 'unavailable';
    default:
      return 'internal';
  }
}

function errorBody(errorType: string, error: string): string {
  return safeJson({ status: 'error', errorType, error });
}

/** The parameters of the form and those of the URL, those of the form first. */
async function readParameters(call: AdmittedCall, context: HandlerContext): Promise<URLSearchParams | Fault> {
  if (call.request.method !== 'POST') return call.query;
  const body = await collectBody(call, context, { maxBytes: maxFormBytes, what: 'form' });
  if (isFault(body)) return body;
  const parameters = new URLSearchParams(body.bytes.toString());
  body.release();
  for (const [name, value] of call.query) parameters.append(name, value);
  return parameters;
}

/** An endpoint that is answered from a database: of the path, or of the setting `promql.db`. */
export function prometheusHandler(endpoint: PromqlEndpoint): (context: HandlerContext) => Handler<AdmittedCall> {
  return (context) => async (call) => {
    const { intake, settings, log } = context;
    const { params, id, credentials, aborted } = call;
    const parameters = await readParameters(call, context);
    if (isFault(parameters)) return prometheusErrors(call, refusalOf(parameters, 'body'), settings);
    const request: PromqlRequest = {
      credentials,
      database: params.db ?? settings.promql.db,
      endpoint,
      parameters,
      label: params.name,
    };
    const outcome = await sendRequest<PromqlRequest, PromqlAnswer>(
      (exchange) => intake.promql(exchange),
      id,
      request,
      aborted,
    );
    if (outcome.kind === 'refused') return prometheusErrors(call, refusalOf(outcome.fault), settings);
    const { answer } = outcome;
    if (answer.kind === 'error') {
      return sendJson(call.reply, statuses[answer.errorType], errorBody(answer.errorType, answer.error));
    }
    if (endpoint === 'federate') return sendChunks(call, textType, answer.data, log);
    return sendChunks(call, jsonType, wrapped(answer), log);
  };
}

const textType = 'text/plain; version=0.0.4; charset=utf-8';

/** The data with what stands around it. */
async function* wrapped({
  data,
  warnings,
  infos,
}: Extract<PromqlAnswer, { kind: 'data' }>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"status":"success","data":');
  yield* data;
  const notes = [
    warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`,
    infos.length === 0 ? '' : `,"infos":${JSON.stringify(infos)}`,
  ];
  yield Buffer.from(`${notes.join('')}}`);
}

/** `status/buildinfo`: clients decide by the version which endpoints there are. */
export function buildInfoHandler(): Handler<KnownCall> {
  const data = {
    version: prometheusVersion,
    revision: '',
    branch: '',
    buildUser: '',
    buildDate: '',
    goVersion: '',
  };
  return async ({ reply }) => sendSuccess(reply, data);
}

/** The version of Prometheus whose language and API are answered. */
const prometheusVersion = '3.5.0';

/** `status/config`: there is no file of Prometheus. */
export function configHandler(): Handler<KnownCall> {
  return async ({ reply }) => sendSuccess(reply, { yaml: '' });
}

function sendSuccess(reply: Reply, data: unknown): Reply {
  return sendJson(reply, 200, safeJson({ status: 'success', data }));
}
