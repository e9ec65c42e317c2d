import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { pageFolder } from '../../../src/http/handlers/page-files.js';
import { send, startServer } from '../../support/inputs/http-server.js';

const names = readdirSync(pageFolder).filter((name) => !/\.(?:json|d\.ts)$/.test(name));
const types = { html: 'text/html', css: 'text/css', js: 'application/javascript', svg: 'image/svg+xml' } as const;

function typeOf(name: string): string {
  for (const [ending, type] of Object.entries(types)) if (name.endsWith(`.${ending}`)) return type;
  return 'unknown';
}

test('every file of the pages is sent with its type, to everybody, and nothing else may be loaded from it', async (t) => {
  const server = await startServer(t);
  const borrowed = ['uPlot.iife.min.js', 'uPlot.min.css', 'swagger-ui.css', 'swagger-ui-bundle.js'];
  for (const name of [...names, ...borrowed]) {
    const reply = await send(server, { method: 'GET', path: `/page/${name}`, auth: false });
    t.is(reply.status, 200, name);
    t.is(reply.headers['content-type'], `${typeOf(name)}${name.endsWith('.svg') ? '' : '; charset=utf-8'}`, name);
    t.is(reply.headers['x-content-type-options'], 'nosniff');
    const policy = String(reply.headers['content-security-policy']);
    t.true(policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self';"), policy);
    t.notRegex(policy, /unsafe|http|\*/);
  }
});

test('what a browser has already is not sent again', async (t) => {
  const server = await startServer(t);
  const first = await send(server, { method: 'GET', path: '/page/icon.svg', auth: false });
  const etag = String(first.headers.etag);
  const again = await send(server, { method: 'GET', path: '/page/icon.svg', headers: { 'if-none-match': etag } });
  t.deepEqual([again.status, again.text], [304, '']);
});

test('nothing but the files of the pages can be reached', async (t) => {
  const server = await startServer(t);
  const paths = [
    'tsconfig.json',
    'globals.d.ts',
    'nothing.js',
    '..',
    '.',
    '..%2fpackage.json',
    '..%5cpackage.json',
    '%2e%2e',
    'constructor',
    'swagger-ui.js.map',
  ];
  for (const path of paths) {
    const reply = await send(server, { method: 'GET', path: `/page/${path}`, auth: false });
    t.deepEqual([reply.status, reply.text], [404, '404 page not found'], path);
  }
});

test('the pages hold no script, style or address of another host in themselves', (t) => {
  const pages = names.filter((name) => name.endsWith('.html'));
  t.true(pages.length > 0);
  for (const name of pages) {
    const text = readFileSync(`${pageFolder}${name}`, 'utf8');
    t.notRegex(text, /<script(?![^>]*\bsrc=")|<style|\sstyle=|\son\w+=|https?:/, name);
  }
});
