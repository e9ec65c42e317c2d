import { expositionForm, expositionHead } from '../../model/exposition-head.js';
import type { Fault } from '../../model/fault.js';
import { textErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { sendEmpty } from '../answer/reply.js';
import { isFault } from '../request/auth.js';
import type { Call, Handler, HandlerContext, KnownCall, Refusal, WriteCall } from '../request/call.js';
import { contentType } from '../request/content-type.js';
import { parameterFault } from '../request/parameters.js';
import { refuseWrite } from './refused-write.js';
import { namedDatabase } from './write-parameters.js';
import { carryWrite } from './writing.js';

/** Labels that all samples of a push get. Own labels of the same names are stored as `exported_<name>`. */
type Labels = ReadonlyMap<string, string>;

const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const base64Suffix = '@base64';
const pushPath = '/metrics/';

/**
 * `POST /api/v1/import/prometheus`: samples as text or protobuf, with labels from the parameters `extra_label`. 204
 * when all are stored.
 */
export function importHandler(context: HandlerContext): Handler<WriteCall> {
  return pushing(context, labelsOfParameters, 204);
}

/**
 * `POST` and `PUT /metrics/job/<job>{/<label>/<value>}`, as jobs push to a Pushgateway: samples as text or protobuf,
 * with the labels of the path. Each push is a row of its own, so both methods do the same. A name that ends with
 * `@base64` has its value in base64url.
 */
export function pushHandler(context: HandlerContext): Handler<WriteCall> {
  return pushing(context, labelsOfPath, 200);
}

/** `DELETE` on the same paths: what was pushed is history, and stays; clients that tidy up get a success. */
export function forgetHandler(): Handler<KnownCall> {
  return ({ reply }) => sendEmpty(reply, 202);
}

function pushing(context: HandlerContext, read: (call: Call) => Labels | Fault, status: 200 | 204): Handler<WriteCall> {
  const { settings } = context;
  const { createDatabase, messageBytes: maxMessageBytes, db } = settings.metricsdb;
  return (call) => {
    const refused = (refusal: Refusal) => textErrors(call, refusal, settings);
    const labels = read(call);
    if (isFault(labels)) return refuseWrite(call, context, refused, () => refused(refusalOf(labels, 'parameter')));
    const target = { database: namedDatabase(call, db), createDatabase, ttl: 0, precision: 'ms' } as const;
    const form = expositionForm(contentType(call));
    const rowWord = form === 'protobuf' ? 'metric' : 'line';
    const write = {
      format: 'exposition',
      target,
      maxMessageBytes,
      head: expositionHead(form, labels),
      rowWord,
    } as const;
    return carryWrite(call, context, write, { stored: () => sendEmpty(call.reply, status), refused });
  };
}

function labelsOfParameters({ query }: Call): Labels | Fault {
  const labels = new Map<string, string>();
  for (const text of query.getAll('extra_label')) {
    const sign = text.indexOf('=');
    const name = text.slice(0, Math.max(0, sign));
    if (name.startsWith('__')) return parameterFault(reservedName('extra_label', name));
    if (!labelName.test(name))
      return parameterFault(`extra_label must be name=value, not ${JSON.stringify(text.slice(0, 64))}`);
    const value = text.slice(sign + 1);
    if ((labels.get(name) ?? value) !== value) return parameterFault(`label ${name} occurs twice in extra_label`);
    labels.set(name, value);
  }
  return query.has('timestamp')
    ? parameterFault('parameter timestamp is not taken; write it behind the value')
    : labels;
}

/** Prometheus has the names with two underscores before them for itself: `__name__` is that of the metric. */
function reservedName(place: string, name: string): string {
  return `label ${JSON.stringify(name.slice(0, 64))} in ${place}: names of labels must not begin with __`;
}

/** Reads the path as it came, because a label's value may have an encoded slash. */
function labelsOfPath({ request }: Call): Labels | Fault {
  const path = request.url.split('?', 1)[0] ?? '';
  const segments = path.slice(pushPath.length).split('/');
  // A slash at the end begins no further label.
  if (segments.length % 2 === 1 && segments.at(-1) === '') segments.pop();
  const labels = new Map<string, string>();
  for (let at = 0; at < segments.length; at += 2) {
    const [segment = '', value] = [segments[at], segments[at + 1]];
    const isBase64 = segment.endsWith(base64Suffix);
    const name = isBase64 ? segment.slice(0, -base64Suffix.length) : segment;
    if (name.startsWith('__')) return parameterFault(reservedName('the path', name));
    if (!labelName.test(name))
      return parameterFault(`${JSON.stringify(name.slice(0, 64))} in the path is not the name of a label`);
    if (value === undefined) return parameterFault(`label ${name} in the path has no value`);
    if (labels.has(name)) return parameterFault(`label ${name} occurs twice in the path`);
    labels.set(name, isBase64 ? Buffer.from(value, 'base64url').toString() : decodeURIComponent(value));
  }
  return (labels.get('job') ?? '') === '' ? parameterFault('the job in the path has no name') : labels;
}
