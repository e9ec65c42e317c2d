import test from 'ava';
import { type CorsRequest, createCorsPolicy } from '../../../src/http/request/cors.js';
import type { CorsSettings } from '../../../src/model/cors-settings.js';
import { openCors } from '../../support/inputs/http-server.js';

function verdict(
  settings: Partial<CorsSettings>,
  origin: string | undefined,
  method = 'POST',
  more: Partial<CorsRequest> = {},
) {
  return createCorsPolicy({ ...openCors, allowHosts: ['db.example'], ...settings })({
    method,
    origin,
    host: 'db.example:6041',
    ...more,
  });
}

const listed = (...allowOrigins: string[]) => ({ allowAllOrigins: false, allowOrigins });

test('requests without an origin or from the service itself pass untouched', (t) => {
  for (const origin of [undefined, '', 'http://db.example:6041', 'https://db.example:6041']) {
    t.deepEqual(verdict({ allowAllOrigins: false }, origin), { kind: 'pass', headers: {} });
    t.deepEqual(verdict({}, origin, 'OPTIONS'), { kind: 'pass', headers: {} });
  }
});

test('with all origins allowed the answer is for anyone', (t) => {
  t.deepEqual(verdict({}, 'http://x.example'), {
    kind: 'pass',
    headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Authorization' },
  });
});

test('a preflight names methods, headers and how long to remember them', (t) => {
  t.deepEqual(verdict({ allowHeaders: ['X-One', 'authorization'] }, 'http://x.example', 'OPTIONS'), {
    kind: 'preflight',
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
      'access-control-allow-headers': 'Origin,Content-Length,Content-Type,Authorization,X-One',
      'access-control-max-age': '43200',
    },
  });
});

test('a listed origin is echoed and any other refused, also as a preflight', (t) => {
  const settings = { ...listed('http://a.example'), exposeHeaders: ['X-Two'], allowCredentials: true };
  t.deepEqual(verdict(settings, 'http://a.example'), {
    kind: 'pass',
    headers: {
      'access-control-allow-origin': 'http://a.example',
      vary: 'Origin',
      'access-control-expose-headers': 'Authorization,X-Two',
      'access-control-allow-credentials': 'true',
    },
  });
  const reason = 'origin http://b.example is not allowed, see cors.allowOrigins';
  t.deepEqual(verdict(settings, 'http://b.example'), { kind: 'refuse', reason });
  t.deepEqual(verdict(settings, 'http://b.example', 'OPTIONS'), { kind: 'refuse', reason });
});

test('without a list only the local origin is allowed', (t) => {
  t.is(verdict({ allowAllOrigins: false }, 'http://127.0.0.1').kind, 'pass');
  t.is(verdict({ allowAllOrigins: false }, 'http://localhost').kind, 'refuse');
});

test('one star in an entry stands for any text', (t) => {
  const cases = [
    ['http://*.example', 'http://a.b.example', 'pass'],
    ['http://*.example', 'http://example', 'refuse'],
    ['http://dev-*', 'http://dev-1:80', 'pass'],
    ['*.example', 'ws://a.example', 'pass'],
    ['ab*bc', 'abc', 'refuse'],
  ] as const;
  for (const [entry, origin, kind] of cases) t.is(verdict(listed(entry), origin).kind, kind, `${entry} ${origin}`);
});

test('an entry with two stars, or with neither scheme nor star, stops the start', (t) => {
  t.throws(() => verdict(listed('http://*.a.*'), undefined), { message: /more than one/ });
  t.throws(() => verdict(listed('a.example'), undefined), { message: /must begin with/ });
  t.throws(() => verdict(listed('ws://a.example'), undefined), { message: /must begin with/ });
  t.is(verdict({ ...listed('ws://a.example'), allowWebSockets: true }, 'ws://a.example').kind, 'pass');
});

const closed = { allowAllOrigins: false };

test('what a page of another site sends without saying so is refused, but for a link that is followed', (t) => {
  const from = (site: string, mode: string, method = 'GET') => verdict(closed, undefined, method, { site, mode }).kind;
  t.is(from('cross-site', 'no-cors'), 'refuse');
  t.is(from('cross-site', 'navigate', 'POST'), 'refuse');
  t.is(from('cross-site', 'navigate'), 'pass');
  t.is(from('same-origin', 'cors', 'POST'), 'pass');
  t.is(from('none', 'navigate'), 'pass');
  t.is(verdict({}, undefined, 'GET', { site: 'cross-site', mode: 'no-cors' }).kind, 'pass', 'all origins are allowed');
});

test('a browser may call under names that nobody else can point here, and under those that are allowed', (t) => {
  const under = (host: string, more: Partial<CorsRequest>) =>
    verdict({ ...closed, allowHosts: ['db.example', '*.lan'] }, undefined, 'GET', { host, ...more }).kind;
  const browsers: readonly Partial<CorsRequest>[] = [
    { userAgent: 'Mozilla/5.0 (X11)' },
    { referer: 'http://evil.example:6041/' },
    { site: 'same-origin', mode: 'cors' },
    { origin: 'http://evil.example:6041' },
  ];
  for (const more of browsers) t.is(under('evil.example:6041', more), 'refuse', JSON.stringify(more));
  const people = { userAgent: 'Mozilla/5.0 (X11)' };
  for (const host of [
    '127.0.0.1:6041',
    '[::1]:6041',
    'localhost',
    'a.localhost',
    'sluice:6041',
    'db.example',
    'DB.example:1',
    'x.lan',
  ]) {
    t.is(under(host, people), 'pass', host);
  }
  t.is(under('evil.example:6041', { userAgent: 'Telegraf/1.30' }), 'pass', 'programs are sent by nobody');
  t.is(verdict({}, undefined, 'GET', { host: 'evil.example', ...people }).kind, 'pass', 'all origins are allowed');
});

test('with credentials beside all origins the answer repeats the origin, because browsers refuse the star there', (t) => {
  for (const method of ['POST', 'OPTIONS']) {
    t.like(verdict({ allowCredentials: true }, 'http://x.example', method), {
      headers: {
        'access-control-allow-origin': 'http://x.example',
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      },
    });
  }
});

test('while all origins are allowed a browser that calls for a page which no setting names is marked', (t) => {
  const people = { userAgent: 'Mozilla/5.0 (X11)' };
  const cases: readonly (readonly [request: Partial<CorsRequest>, page: string | undefined])[] = [
    [{ origin: 'http://evil.example', ...people }, 'origin http://evil.example'],
    [{ origin: 'null', ...people }, 'origin null'],
    [{ origin: 'http://db.example:6042', site: 'same-site' }, 'origin http://db.example:6042'],
    [{ origin: 'http://db.example:6041', ...people }, undefined],
    [{ origin: 'http://good.example', ...people }, undefined],
    [{ site: 'cross-site', mode: 'no-cors' }, 'a page of another site'],
    [{ site: 'cross-site', mode: 'navigate' }, undefined],
    [{ host: 'evil.example:6041', ...people }, 'host evil.example'],
    [{ host: 'evil.example:6041', origin: 'http://evil.example:6041' }, 'host evil.example'],
    [{ host: '127.0.0.1:6041', ...people }, undefined],
    // A program may send any header.
    [{ origin: 'http://evil.example', userAgent: 'curl/8.5.0' }, undefined],
    [{ host: 'evil.example:6041', userAgent: 'Telegraf/1.30' }, undefined],
  ];
  for (const [request, page] of cases) {
    const { origin, ...more } = request;
    const got = verdict({ allowOrigins: ['http://good.example'] }, origin, origin === undefined ? 'GET' : 'POST', more);
    t.is(got.kind === 'pass' ? got.foreignPage : 'refused', page, JSON.stringify(request));
  }
});
