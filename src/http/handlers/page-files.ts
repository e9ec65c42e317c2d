import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyReply } from 'fastify';
import { sendNotFound } from '../answer/reply.js';
import type { Handler, Reply, RoutedCall } from '../request/call.js';

const packageFolder = new URL('../../../../', import.meta.url);

/** The files of the pages, as they lie in the package. */
export const pageFolder = fileURLToPath(new URL('page/', packageFolder));

/** The documents, which the page shows. */
const documentFolders = ['docs/', './'].map((name) => fileURLToPath(new URL(name, packageFolder)));

/** Files of other packages that the pages use. */
const borrowed: readonly (readonly [specifier: string, folder: string, names: readonly string[]])[] = [
  ['uplot', './', ['uPlot.iife.min.js', 'uPlot.min.css']],
  ['@fastify/swagger-ui', './static/', ['swagger-ui.css', 'swagger-ui-bundle.js']],
];

/**
 * Nothing from elsewhere, nothing inline, no frames around it; images that style sheets carry in themselves are let in.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Folders of the files by name; nothing else is ever served. */
function findFiles(): ReadonlyMap<string, string> {
  const own = readdirSync(pageFolder).filter((name) => /\.(?:html|css|js|svg)$/.test(name));
  const folders = new Map(own.map((name) => [name, pageFolder]));
  for (const folder of documentFolders.filter((name) => existsSync(name))) {
    for (const name of readdirSync(folder)) if (/\.(?:md|png)$/.test(name)) folders.set(name, folder);
  }
  for (const [specifier, folder, names] of borrowed) {
    const directory = fileURLToPath(new URL(folder, import.meta.resolve(specifier)));
    for (const name of names) folders.set(name, directory);
  }
  return folders;
}

const files = findFiles();

/** `GET /page/<file>`: what the pages are made of. */
export function fileHandler(): Handler<RoutedCall> {
  return async ({ reply, params }) => sendPageFile(reply, params.file ?? '');
}

/** A page under an address of its own. */
export function namedFileHandler(name: string): Handler<RoutedCall> {
  return async ({ reply }) => sendPageFile(reply, name);
}

/**
 * Sends a file with its entity tag: a client that has it gets 304, and revalidates it each time because versions
 * change.
 */
function sendPageFile(reply: FastifyReply, name: string): Reply {
  const folder = files.get(name);
  if (folder === undefined) return sendNotFound(reply);
  return reply.headers(pageHeaders).sendFile(name, folder, { cacheControl: false, dotfiles: 'deny' });
}
