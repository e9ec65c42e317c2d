import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import type { Credentials } from '../../src/model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../src/model/fault.js';
import { type Hold, RequestReply } from '../../src/statements/request-reply.js';
import { silentLog } from '../support/engine/engine.js';
import { until } from '../support/until.js';

interface Question {
  readonly credentials: Credentials;
  readonly text: string;
}

const slots = { running: 2, runningOfUser: 0, waiting: 1, waitMs: 10_000 };

function make(run: (text: string, user: string) => Promise<string>, hold?: Hold<string>) {
  const credentials = {
    authenticate: async (credentials: Credentials) =>
      credentials.scheme === 'password' && credentials.password === 'good'
        ? { user: credentials.user }
        : fault('auth', Codes.authenticationFailure, 'who?'),
  };
  const pipeline = new RequestReply<Question, string>(
    'test',
    { credentials, log: silentLog, slots },
    (exchange, user) => run(exchange.request.text, user),
    hold,
  );
  const request = (text: string, password = 'good', aborted = new AbortController().signal): Promise<string | Fault> =>
    new Promise((resolve) => {
      const request = { text, credentials: { scheme: 'password', user: 'u', password } } as const;
      pipeline.request({ id: '1', request, aborted, answer: resolve, refuse: resolve });
    });
  return { pipeline, request };
}

function messageOf(answer: string | Fault): string {
  return typeof answer === 'string' ? answer : answer.message;
}

test('a request of somebody known is answered, of others refused, and what breaks is refused without its reason', async (t) => {
  const { request } = make(async (text, user) => {
    if (text === 'bad') throw new FaultError(fault('parameter', Codes.free, 'a bad request'));
    if (text === 'broken') throw new Error('secret');
    return `${text} of ${user}`;
  });
  t.is(await request('a'), 'a of u');
  t.is(messageOf(await request('a', 'wrong')), 'who?');
  t.is(messageOf(await request('bad')), 'a bad request');
  t.is(messageOf(await request('broken')), 'Internal error');
  t.is(await request('b'), 'b of u');
});

test('only so many run and wait at once, and draining ends with the last of them', async (t) => {
  let running = 0;
  let most = 0;
  const open: (() => void)[] = [];
  const { pipeline, request } = make(async (text) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => open.push(resolve));
    running--;
    return text;
  });
  const answers = ['a', 'b', 'c'].map((text) => request(text));
  t.true(await until(() => open.length === 2));
  const refused = await request('d');
  t.is(typeof refused === 'string' ? refused : refused.kind, 'resource');
  const drained = pipeline.drain().then(() => 'drained');
  t.is(await Promise.race([drained, setTimeout(20, 'draining')]), 'draining');
  for (let i = 0; i < 3; i++) {
    t.true(await until(() => open.length > i));
    open[i]?.();
  }
  t.deepEqual(await Promise.all(answers), ['a', 'b', 'c']);
  t.is(await drained, 'drained');
  t.is(most, 2);
  t.is(messageOf(await request('e')), 'service is shutting down', 'a late request gets the reason');
});

test('an answer that goes on working keeps its slot until it has left', async (t) => {
  const open: (() => void)[] = [];
  const { request } = make(
    async (text) => text,
    (answer, release) => {
      open.push(release);
      return answer;
    },
  );
  t.deepEqual(await Promise.all([request('a'), request('b')]), ['a', 'b']);
  const third = request('c');
  t.is(await Promise.race([third, setTimeout(20, 'waiting')]), 'waiting');
  open[0]?.();
  t.is(await third, 'c');
});
