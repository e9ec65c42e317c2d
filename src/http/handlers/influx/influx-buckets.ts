import { Codes, type Fault, fault } from '../../../model/fault.js';
import { parseJson } from '../../../text/json.js';
import { quotedName } from '../../../text/quoted-name.js';
import { refusalOf } from '../../answer/refusal.js';
import { safeJson, sendEmpty, sendJson } from '../../answer/reply.js';
import { isFault } from '../../request/auth.js';
import type { AdmittedCall, Handler, HandlerContext, KnownCall, Reply } from '../../request/call.js';
import { parameterFault } from '../../request/parameters.js';
import { collectBody } from '../../request/request-body.js';
import { bucketDatabase, influx2Errors, nameInflux } from './influx.js';
import { databaseOptions, expirySeconds, isSystem, keepOption, runSql } from './influx-sql.js';

const path = '/api/v2/buckets';
/** Longest description of a bucket. */
const maxBucketBytes = 64 * 1024;
/** The organization of requests that name none; each one that is named is there. */
const anyOrganization = 'any';

/** A database as clients of version 2 know it; its name is its id, too, so that they may write to either. */
interface Bucket {
  readonly id: string;
  readonly orgID: string;
  readonly type: 'user';
  readonly name: string;
  readonly retentionRules: readonly { readonly type: 'expire'; readonly everySeconds: number }[];
  readonly labels: readonly [];
}

/** The databases that the user sees, by name. */
async function bucketsOf(call: AdmittedCall, context: HandlerContext, orgID: string): Promise<Bucket[] | Fault> {
  const rows = await runSql(call, context, 'SELECT name, `keep` FROM information_schema.ins_databases ORDER BY name');
  if (isFault(rows)) return rows;
  return rows
    .map(([name, keep]): Bucket => {
      const everySeconds = expirySeconds(String(keep));
      const id = String(name);
      return { id, orgID, type: 'user', name: id, retentionRules: [{ type: 'expire', everySeconds }], labels: [] };
    })
    .filter(({ name }) => !isSystem(name));
}

/**
 * `GET /api/v2/buckets?name=&id=&after=&offset=&limit=`: the databases that the user sees, by name; of `name` and `id`
 * that one. Without `limit` all of them; where it leaves some out, `links.next` has the others.
 */
export function influxBucketsHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const { query, reply } = call;
    const buckets = await bucketsOf(call, context, organizationOf(query));
    if (isFault(buckets)) return influx2Errors(call, refusalOf(buckets), context.settings);
    const only = query.get('name') ?? query.get('id') ?? '';
    const after = query.get('after') ?? '';
    const first = countIn(query.get('offset')) ?? 0;
    const fitting = buckets.filter(({ name }) => name > after && (only === '' || name === bucketDatabase(only)));
    const limit = countIn(query.get('limit')) || fitting.length;
    const next = `${path}?${new URLSearchParams({ after, offset: `${first + limit}`, limit: `${limit}` })}`;
    const links = { self: path, ...(first + limit < fitting.length ? { next } : {}) };
    return sendJson(nameInflux(reply), 200, safeJson({ links, buckets: fitting.slice(first, first + limit) }));
  };
}

/** Answers a call about buckets with an error, by the status given or the one that clients expect of it. */
function refusalsOf(call: KnownCall, context: HandlerContext) {
  return (failure: Fault, status?: number) => {
    const refusal = refusalOf(failure);
    return influx2Errors(
      call,
      { ...refusal, status: status ?? bucketStatus(failure, refusal.status) },
      context.settings,
    );
  };
}

/**
 * `POST /api/v2/buckets`: makes a database, with the rights of the user. One that is there already is 422, as clients
 * expect it.
 */
export function influxNewBucketHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const refuse = refusalsOf(call, context);
    const body = await collectBody(call, context, { maxBytes: maxBucketBytes, what: 'bucket' });
    if (isFault(body)) return refuse(body);
    const bucket = readBucket(parseJson(body.bytes.toString()));
    body.release();
    if (isFault(bucket)) return refuse(bucket);
    const { name, organization, keepMinutes } = bucket;
    const statement = `CREATE DATABASE ${quotedName(name)} ${databaseOptions(keepMinutes)}`;
    const failure = await runSql(call, context, statement);
    if (isFault(failure)) {
      if (failure.code !== Codes.databaseAlreadyExists) return refuse(failure);
      return refuse(fault(failure.kind, failure.code, `bucket with name ${name} already exists`), 422);
    }
    const buckets = await bucketsOf(call, context, organization);
    if (isFault(buckets)) return refuse(buckets);
    return sendJson(nameInflux(call.reply), 201, safeJson(buckets.find((known) => known.name === name) ?? { name }));
  };
}

/** `GET /api/v2/orgs?org=`: the requested organization. They mean nothing here. */
export function influxOrganizationsHandler(): Handler<KnownCall> {
  return async ({ query, reply }) => {
    const name = organizationOf(query);
    return sendJson(nameInflux(reply), 200, safeJson({ orgs: [{ id: name, name }] }));
  };
}

function organizationOf(query: URLSearchParams): string {
  return query.get('org') || query.get('orgID') || anyOrganization;
}

/** A whole number of at least 0; undefined for any other text. */
function countIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The options of the description of a bucket. */
interface NewBucket {
  readonly name: string;
  readonly organization: string;
  /** Left out: for ever. */
  readonly keepMinutes?: number;
}

function readBucket(body: unknown): NewBucket | Fault {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return parameterFault('the body is not a JSON object that describes a bucket');
  }
  const { name, orgID, retentionRules = [] } = body as Readonly<Record<string, unknown>>;
  const database = typeof name === 'string' ? bucketDatabase(name) : '';
  if (database === '') return parameterFault('a bucket needs a name');
  const organization = typeof orgID === 'string' && orgID !== '' ? orgID : anyOrganization;
  const keepMinutes = readRules(retentionRules);
  if (typeof keepMinutes === 'object') return keepMinutes;
  return { name: database, organization, ...(keepMinutes === 0 ? {} : { keepMinutes }) };
}

/** How long the first of retention rules keeps rows, in minutes; 0 is for ever. */
function readRules(rules: unknown): number | Fault {
  const [rule]: readonly unknown[] = Array.isArray(rules) ? rules : [];
  const seconds = (rule as { readonly everySeconds?: unknown } | undefined)?.everySeconds ?? 0;
  if (typeof seconds === 'number' && seconds >= 0) return Math.ceil(seconds / 60);
  return parameterFault('everySeconds of a retention rule is a number of seconds, 0 for ever');
}

/**
 * The status of a refusal: 400 for a statement that the database refuses for the options of a bucket, else the
 * refusal's own.
 */
function bucketStatus({ kind }: Fault, own: number): number {
  const isOfStatement = kind === 'database' || kind === 'syntax';
  return isOfStatement && (own < 400 || own >= 500) ? 400 : own;
}

/** A request about one bucket. */
type BucketAction = (call: KnownCall, context: HandlerContext, bucket: Bucket) => Promise<Reply | Fault>;

/**
 * `GET`, `PATCH` and `DELETE /api/v2/buckets/{id}`: one database, whose name is its id. One that the user does not see
 * is 404.
 */
function onBucket(context: HandlerContext, act: BucketAction): Handler<KnownCall> {
  return async (call) => {
    const refuse = refusalsOf(call, context);
    const buckets = await bucketsOf(call, context, organizationOf(call.query));
    if (isFault(buckets)) return refuse(buckets);
    const id = bucketDatabase(call.params.id ?? '');
    const bucket = buckets.find(({ name }) => name === id);
    if (bucket === undefined)
      return refuse(fault('parameter', Codes.free, `bucket ${JSON.stringify(id)} not found`), 404);
    const outcome = await act(call, context, bucket);
    return 'kind' in outcome ? refuse(outcome) : outcome;
  };
}

/** `GET /api/v2/buckets/{id}`: the database. */
export function influxBucketHandler(context: HandlerContext): Handler<KnownCall> {
  return onBucket(context, async ({ reply }, _, bucket) => sendJson(nameInflux(reply), 200, safeJson(bucket)));
}

/**
 * `PATCH /api/v2/buckets/{id}`: changes how long the database keeps rows. Its name stays; its other properties mean
 * nothing here.
 */
export function influxChangeBucketHandler(context: HandlerContext): Handler<KnownCall> {
  return onBucket(context, async (call, _, bucket) => {
    const body = await collectBody(call, context, { maxBytes: maxBucketBytes, what: 'bucket' });
    if (isFault(body)) return body;
    const change = parseJson(body.bytes.toString());
    body.release();
    if (typeof change !== 'object' || change === null || Array.isArray(change)) {
      return parameterFault('the body is not a JSON object that describes a bucket');
    }
    const { name = bucket.name, retentionRules } = change as Readonly<Record<string, unknown>>;
    if (name !== bucket.name) return parameterFault('a bucket cannot be renamed');
    if (retentionRules === undefined) return sendJson(nameInflux(call.reply), 200, safeJson(bucket));
    const minutes = readRules(retentionRules);
    if (typeof minutes === 'object') return minutes;
    const keep = keepOption(minutes === 0 ? undefined : minutes);
    const failure = await runSql(call, context, `ALTER DATABASE ${quotedName(bucket.name)} ${keep}`);
    if (isFault(failure)) return failure;
    const buckets = await bucketsOf(call, context, bucket.orgID);
    if (isFault(buckets)) return buckets;
    const changed = buckets.find((known) => known.name === bucket.name) ?? bucket;
    return sendJson(nameInflux(call.reply), 200, safeJson(changed));
  });
}

/** `DELETE /api/v2/buckets/{id}`: drops the database. */
export function influxDropBucketHandler(context: HandlerContext): Handler<KnownCall> {
  return onBucket(context, async (call, _, { name }) => {
    const failure = await runSql(call, context, `DROP DATABASE ${quotedName(name)}`);
    return isFault(failure) ? failure : sendEmpty(nameInflux(call.reply), 204);
  });
}

/** `GET /api/v2/orgs/{id}`: the organization of that name. They mean nothing here. */
export function influxOrganizationHandler(): Handler<KnownCall> {
  return async ({ params, reply }) => {
    const name = params.id ?? '';
    return sendJson(nameInflux(reply), 200, safeJson({ id: name, name }));
  };
}
