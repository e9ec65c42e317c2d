import type { DocumentKind, SentDocument } from '../../model/document.js';
import type { Fault } from '../../model/fault.js';
import { parseJson } from '../../text/json.js';
import { apiErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { safeJson, sendEmpty, sendJson } from '../answer/reply.js';
import { checkJson } from '../api/check-json.js';
import type { Schema } from '../api/description.js';
import { documentBodies, maxDocumentBytes, versionParameter } from '../api/documents.js';
import { readInteger } from '../api/read-parameter.js';
import { isFault } from '../request/auth.js';
import type { Handler, HandlerContext, KnownCall, Reply } from '../request/call.js';
import { parameterFault } from '../request/parameters.js';
import { collectBody } from '../request/request-body.js';

/** A document in the body of a request; `version` is in one that replaces. */
interface DocumentBody extends Omit<SentDocument, 'shared'> {
  readonly shared?: boolean;
  readonly version?: number;
}

/** `GET /api/v1/dashboards` and `GET /api/v1/saved-queries`. */
export function listDocumentsHandler(context: HandlerContext, kind: DocumentKind): Handler<KnownCall> {
  return async (call) => answer(call, context, 200, await context.intake.documents.list(call.user, kind));
}

/** `GET …/<id>`. */
export function documentHandler(context: HandlerContext, kind: DocumentKind): Handler<KnownCall> {
  return async (call) => answer(call, context, 200, await context.intake.documents.get(call.user, kind, idOf(call)));
}

/** `POST`: makes a document; the answer names its path in `Location`. */
export function createDocumentHandler(context: HandlerContext, kind: DocumentKind): Handler<KnownCall> {
  return async (call) => {
    const body = await readBody(call, context, documentBodies[kind].create);
    if (isFault(body)) return apiErrors(call, refusalOf(body, 'parameter'), context.settings);
    const { name, shared = false, content } = body;
    const created = await context.intake.documents.create(call.user, kind, { name, shared, content });
    if (!isFault(created)) call.reply.header('location', `/api/v1/${places[kind]}/${created.id}`);
    return answer(call, context, 201, created);
  };
}

/** `PUT …/<id>`: replaces the version that the body names. */
export function replaceDocumentHandler(context: HandlerContext, kind: DocumentKind): Handler<KnownCall> {
  return async (call) => {
    const body = await readBody(call, context, documentBodies[kind].replace);
    if (isFault(body)) return apiErrors(call, refusalOf(body, 'parameter'), context.settings);
    const { name, shared = false, content, version = 0 } = body;
    const sent = { name, shared, content };
    return answer(
      call,
      context,
      200,
      await context.intake.documents.replace(call.user, kind, idOf(call), version, sent),
    );
  };
}

/** `DELETE …/<id>?version=…`. */
export function deleteDocumentHandler(context: HandlerContext, kind: DocumentKind): Handler<KnownCall> {
  return async (call) => {
    const version = versionOf(call);
    if (typeof version === 'object') return apiErrors(call, refusalOf(version, 'parameter'), context.settings);
    const removed = await context.intake.documents.remove(call.user, kind, idOf(call), version);
    return isFault(removed) ? answer(call, context, 204, removed) : sendEmpty(call.reply, 204);
  };
}

const places: Readonly<Record<DocumentKind, string>> = { dashboard: 'dashboards', 'saved-query': 'saved-queries' };

function idOf({ params }: KnownCall): string {
  return params.id ?? '';
}

/** The version in the query of a request, which must name one. */
export function versionOf({ query }: KnownCall): number | Fault {
  return (
    readInteger(query, versionParameter) ?? parameterFault('parameter version is missing: the version that was read')
  );
}

async function readBody(call: KnownCall, context: HandlerContext, schema: Schema): Promise<DocumentBody | Fault> {
  const collected = await collectBody(call, context, { maxBytes: maxDocumentBytes, what: 'request body' });
  if (isFault(collected)) return collected;
  const value = parseJson(collected.bytes.toString('utf8'));
  collected.release();
  if (value === undefined) return parameterFault('the body is not JSON');
  return isBody(value, schema) ? value : parameterFault(checkJson(value, schema, 'body') ?? '');
}

function isBody(value: unknown, schema: Schema): value is DocumentBody {
  return checkJson(value, schema, 'body') === undefined;
}

function answer(call: KnownCall, { settings }: HandlerContext, status: number, result: object | Fault): Reply {
  return isFault(result)
    ? apiErrors(call, refusalOf(result), settings)
    : sendJson(call.reply, status, safeJson(result));
}
