import test from 'ava';
import type { Event, EventListing } from '../../../src/model/event.js';
import type { EventAnswer, EventQuestion } from '../../../src/model/exchange.js';
import { Codes, type Fault, fault } from '../../../src/model/fault.js';
import {
  isKnown,
  type Reply,
  send,
  startServer,
  type TestServer,
  wrongPassword,
} from '../../support/inputs/http-server.js';

const event: Event = {
  id: '019a0000-0000-7000-8000-000000000001',
  status: 'active',
  severity: 'critical',
  elementId: 'oven <1>',
  title: 'too hot',
  description: '',
  source: 'rule',
  rule: 'hot',
  value: 81.5,
  threshold: 80,
  count: 1,
  startTime: 1_700_000_000_000,
  lastSeenTime: 1_700_000_000_000,
  endTime: null,
  acknowledgedBy: null,
  acknowledgedAt: null,
  resolvedBy: null,
  resolvedAt: null,
  comment: null,
  attributes: { site: 'north' },
};

function answerOf(question: EventQuestion): EventAnswer {
  switch (question.kind) {
    case 'list': {
      const { pageNum, pageSize } = question.listing;
      return { kind: 'list', page: { total: 1, pageNum, pageSize, asOf: 7, records: [event] } };
    }
    case 'get':
      return { kind: 'get', event };
    case 'move':
      return { kind: 'move', event: { ...event, changed: true } };
  }
}

type Test = Parameters<typeof startServer>[0];

/** A server whose pipeline notes what it is asked, and answers, or refuses with a fault. */
async function startEvents(t: Test, refusal?: Fault): Promise<{ server: TestServer; asked: EventQuestion[] }> {
  const asked: EventQuestion[] = [];
  const server = await startServer(t, {
    events: (exchange) => {
      asked.push(exchange.request.question);
      if (!isKnown(exchange.request.credentials)) exchange.refuse(wrongPassword);
      else if (refusal !== undefined) exchange.refuse(refusal);
      else exchange.answer(answerOf(exchange.request.question));
    },
  });
  return { server, asked };
}

function get(to: TestServer, path: string, auth = true): Promise<Reply> {
  return send(to, { method: 'GET', path: `/api/v1/events${path}`, auth });
}

const plain: EventListing = {
  filter: {
    from: undefined,
    to: undefined,
    status: undefined,
    severity: undefined,
    elementId: undefined,
    asOf: undefined,
  },
  pageNum: 1,
  pageSize: 20,
};

const good: readonly (readonly [
  query: string,
  filter: Partial<EventListing['filter']>,
  page?: Partial<EventListing>,
])[] = [
  ['', {}],
  ['?', {}],
  ['?from=0', { from: 0 }],
  ['?from=1700000000000&to=1700000000000', { from: 1_700_000_000_000, to: 1_700_000_000_000 }],
  ['?to=8640000000000000', { to: 8_640_000_000_000_000 }],
  ['?status=active', { status: 'active' }],
  ['?status=acknowledged', { status: 'acknowledged' }],
  ['?status=resolved&severity=info', { status: 'resolved', severity: 'info' }],
  ['?severity=critical', { severity: 'critical' }],
  ['?severity=warning&elementId=a%20b', { severity: 'warning', elementId: 'a b' }],
  ['?elementId=%C3%BC%27%22%5C', { elementId: 'ü\'"\\' }],
  [`?elementId=${'x'.repeat(512)}`, { elementId: 'x'.repeat(512) }],
  ['?pageNum=1&pageSize=1', {}, { pageNum: 1, pageSize: 1 }],
  ['?pageNum=2147483647&pageSize=1000', {}, { pageNum: 2_147_483_647, pageSize: 1000 }],
  ['?asOf=9007199254740991', { asOf: Number.MAX_SAFE_INTEGER }],
  ['?req_id=1&something=else', {}],
];

for (const [query, filter, page] of good) {
  test(`a list asked with "${query.slice(0, 60)}" has the filters and the page that it names`, async (t) => {
    const { server: to, asked } = await startEvents(t);
    const reply = await get(to, query);
    t.is(reply.status, 200, reply.text);
    t.deepEqual(asked, [{ kind: 'list', listing: { ...plain, ...page, filter: { ...plain.filter, ...filter } } }]);
  });
}

const integer = (min: string, max: string) => `a whole number from ${min} to ${max}`;
const times = integer('0', '8640000000000000');
const statuses = 'one of active, acknowledged, resolved';
const severities = 'one of critical, warning, info';
const pages = integer('1', '2147483647');
const sizes = integer('1', '1000');

const bad: readonly (readonly [query: string, parameter: string, allowed: string])[] = [
  ['from=', 'from', times],
  ['from=now', 'from', times],
  ['from=-1', 'from', times],
  ['from=1.5', 'from', times],
  ['from=1e3', 'from', times],
  ['from=0x10', 'from', times],
  ['from=8640000000000001', 'from', times],
  ['from=99999999999999999999', 'from', times],
  ['from=1&from=2', 'from', 'it may come once'],
  ['to=', 'to', times],
  ['to=tomorrow', 'to', times],
  ['to=-5', 'to', times],
  ['from=2&to=1', 'from', 'at most parameter to, which is 1'],
  ['status=', 'status', statuses],
  ['status=open', 'status', statuses],
  ['status=Active', 'status', statuses],
  ['status=active,resolved', 'status', statuses],
  ['status=active&status=resolved', 'status', 'it may come once'],
  ['severity=', 'severity', severities],
  ['severity=high', 'severity', severities],
  ['severity=CRITICAL', 'severity', severities],
  ['elementId=', 'elementId', 'a text of 1 to 512 characters'],
  [`elementId=${'x'.repeat(513)}`, 'elementId', 'a text of 1 to 512 characters'],
  ['pageNum=0', 'pageNum', pages],
  ['pageNum=-1', 'pageNum', pages],
  ['pageNum=first', 'pageNum', pages],
  ['pageNum=2147483648', 'pageNum', pages],
  ['pageSize=0', 'pageSize', sizes],
  ['pageSize=1001', 'pageSize', sizes],
  ['pageSize=', 'pageSize', sizes],
  ['pageSize=ten', 'pageSize', sizes],
  ['asOf=-1', 'asOf', integer('0', '9007199254740991')],
  ['asOf=last', 'asOf', integer('0', '9007199254740991')],
  ['from=x&status=y', 'from', times],
];

for (const [query, parameter, allowed] of bad) {
  test(`a list asked with "${query.slice(0, 60)}" is refused with the parameter and what is allowed`, async (t) => {
    const { server: to, asked } = await startEvents(t);
    const reply = await get(to, `?${query}`);
    t.is(reply.status, 400);
    const { code, desc }: { code: number; desc: string } = JSON.parse(reply.text);
    t.is(code, Codes.free);
    t.true(desc.startsWith(`parameter ${parameter} `) && desc.includes(allowed), desc);
    t.deepEqual(asked, []);
  });
}

const moves = ['acknowledge', 'resolve'] as const;

for (const move of moves) {
  test(`${move} takes a comment, null as events have it, an empty object, or no body`, async (t) => {
    const { server: to, asked } = await startEvents(t);
    const path = `/api/v1/events/${event.id}/${move}`;
    for (const body of [
      '',
      '  ',
      '{}',
      '{"comment":null}',
      '{"comment":"I have it"}',
      `{"comment":"${'x'.repeat(2000)}"}`,
    ]) {
      const reply = await send(to, { method: 'PUT', path, body });
      t.is(reply.status, 200, reply.text);
      t.like(JSON.parse(reply.text), { id: event.id, changed: true });
    }
    t.deepEqual(
      asked.map((question) => question.kind === 'move' && [question.move, question.id, question.comment?.length]),
      [undefined, undefined, undefined, undefined, 9, 2000].map((length) => [move, event.id, length]),
    );
  });

  test(`${move} refuses any other body, and says what is allowed`, async (t) => {
    const { server: to, asked } = await startEvents(t);
    const path = `/api/v1/events/${event.id}/${move}`;
    for (const [body, said] of [
      ['comment', /not JSON/],
      ['[]', /must be an object/],
      ['null', /must be an object/],
      ['"text"', /must be an object/],
      ['{"comment":1}', /comment in the body must be a text of at most 2000/],
      [`{"comment":"${'x'.repeat(2001)}"}`, /at most 2000/],
      ['{"note":"x"}', /key "note"; allowed is comment/],
    ] as const) {
      const reply = await send(to, { method: 'PUT', path, body });
      t.is(reply.status, 400, body);
      t.regex(JSON.parse(reply.text).desc, said);
    }
    const long = await send(to, { method: 'PUT', path, body: ' '.repeat(70_000) });
    t.is(long.status, 400);
    t.regex(JSON.parse(long.text).desc, /request body too long/);
    t.deepEqual(asked, []);
  });
}

test('an event is sent as it is, and nothing in it can be taken for markup', async (t) => {
  const { server: to } = await startEvents(t);
  const reply = await get(to, `/${event.id}`);
  t.is(reply.status, 200);
  t.deepEqual(JSON.parse(reply.text), { ...event });
  t.false(reply.text.includes('<'));
});

const refusals: readonly (readonly [fault: Fault, status: number])[] = [
  [fault('database', Codes.eventNotExist, 'Event does not exist'), 404],
  [fault('database', Codes.eventResolved, 'Event is resolved'), 409],
  [fault('database', Codes.insufficientPrivilege, 'Insufficient privilege'), 403],
  [fault('network', Codes.networkUnavailable, 'The database cannot be reached'), 503],
  [fault('resource', Codes.free, 'Too many'), 503],
  [fault('database', Codes.free, 'Internal error'), 500],
];

for (const [refusal, status] of refusals) {
  test(`the fault "${refusal.message}" is ${status}, with code and description`, async (t) => {
    const { server: to } = await startEvents(t, refusal);
    for (const reply of [
      await get(to, ''),
      await get(to, `/${event.id}`),
      await send(to, { method: 'PUT', path: `/api/v1/events/${event.id}/resolve` }),
    ]) {
      t.is(reply.status, status);
      t.deepEqual(JSON.parse(reply.text), { code: refusal.code, desc: refusal.message });
      t.is(reply.headers['retry-after'] !== undefined, status === 503);
    }
  });
}

test('without credentials, and with wrong ones, every operation is 401 and names the scheme', async (t) => {
  const { server: to, asked } = await startEvents(t);
  for (const [method, path] of [
    ['GET', '/api/v1/events'],
    ['GET', '/api/v1/events?pageSize=x'],
    ['GET', `/api/v1/events/${event.id}`],
    ['PUT', `/api/v1/events/${event.id}/acknowledge`],
    ['PUT', `/api/v1/events/${event.id}/resolve`],
  ] as const) {
    const reply = await send(to, { method, path, auth: false });
    t.is(reply.status, 401);
    t.regex(String(reply.headers['www-authenticate']), /^Basic /);
    t.is(JSON.parse(reply.text).code, Codes.noAuthInfo);
  }
  t.deepEqual(asked, []);
  const headers = { authorization: `Basic ${Buffer.from('root:wrong').toString('base64')}` };
  t.is((await send(to, { method: 'GET', path: '/api/v1/events', headers })).status, 401);
});

test('events are answered while queries are paused, and not while everything is', async (t) => {
  for (const [guard, status] of [
    ['query-paused', 200],
    ['all-paused', 503],
  ] as const) {
    const to = await startServer(t, {
      guard: () => guard,
      events: (exchange) => exchange.answer(answerOf(exchange.request.question)),
    });
    t.is((await get(to, '')).status, status);
  }
});

test('other methods and longer paths do not exist', async (t) => {
  const { server: to } = await startEvents(t);
  for (const [method, path] of [
    ['POST', '/api/v1/events'],
    ['POST', `/api/v1/events/${event.id}/resolve`],
    ['GET', `/api/v1/events/${event.id}/resolve`],
    ['PUT', `/api/v1/events/${event.id}`],
    ['PUT', `/api/v1/events/${event.id}/close`],
    ['GET', '/api/v1/events/a%2Fb'],
  ] as const) {
    t.is((await send(to, { method, path })).status, 404, `${method} ${path}`);
  }
});
