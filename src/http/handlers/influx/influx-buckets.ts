import { Codes, type Fault, fault } from '../../../model/fault.js';
import { parseJson } from '../../../text/json.js';
import { quotedName } from '../../../text/quoted-name.js';
import { refusalOf } from '../../answer/refusal.js';
import { safeJson, sendJson } from '../../answer/reply.js';
import { isFault } from '../../request/auth.js';
import type { AdmittedCall, Handler, HandlerContext, KnownCall } from '../../request/call.js';
import { parameterFault } from '../../request/parameters.js';
import { collectBody } from '../../request/request-body.js';
import { bucketDatabase, influx2Errors, nameInflux } from './influx.js';
import { databaseOptions, isSystem, minutesIn, runSql } from './influx-sql.js';

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
      const everySeconds = minutesIn(String(keep)) * 60;
      const id = String(name);
      return { id, orgID, type: 'user', name: id, retentionRules: [{ type: 'expire', everySeconds }], labels: [] };
    })
    .filter(({ name }) => !isSystem(name));
}

/**
 * `GET /api/v2/buckets?name=&id=&after=&offset=&limit=`: the databases that the user sees, by name; of `name` and `id` that one. Without
 * `limit` all of them; where it leaves some out, `links.next` has the others.
 */
export function influxBucketsHandler(context: HandlerContext): Handler<AdmittedCall> {
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

/** `POST /api/v2/buckets`: makes a database, with the rights of the user. One that is there already is 422, as clients expect it. */
export function influxNewBucketHandler(context: HandlerContext): Handler<AdmittedCall> {
  return async (call) => {
    const refuse = (failure: Fault, status?: number) => {
      const refusal = refusalOf(failure);
      return influx2Errors(call, { ...refusal, status: status ?? refusal.status }, context.settings);
    };
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

/** `GET /api/v2/orgs?org=`: the organization that is asked for. They mean nothing here. */
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

/** What the description of a bucket asks for. */
interface NewBucket {
  readonly name: string;
  readonly organization: string;
  /** Left out: for as long as databases do that nobody says it of. */
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
  const [rule]: readonly unknown[] = Array.isArray(retentionRules) ? retentionRules : [];
  const seconds = (rule as { readonly everySeconds?: unknown } | undefined)?.everySeconds ?? 0;
  if (typeof seconds !== 'number' || !(seconds >= 0)) {
    return parameterFault('everySeconds of a retention rule is a number of seconds, 0 for ever');
  }
  return { name: database, organization, ...(seconds === 0 ? {} : { keepMinutes: Math.ceil(seconds / 60) }) };
}
