import type { Call } from './call.js';
import { gzipLayers } from './compression.js';
import { readTtl, readWriteRequestId } from './parameters.js';
import { headerText } from './reply.js';

/** A request that does not pass the door of its route: the status, and why. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** What a write says beside its data, whatever its format. */
export interface WriteParameters {
  readonly id: string;
  /** Days. */
  readonly ttl: number;
  /** Layers of gzip around the body. */
  readonly layers: number;
}

/** Reads `req_id`, `ttl` and `Content-Encoding`, in this order, for the routes that refuse them in the same words. */
export function readWriteParameters({ request, query }: Call): WriteParameters | Refusal {
  const id = readWriteRequestId(query.get('req_id'), request.id);
  if (id === undefined) return { status: 400, message: 'illegal param, req_id must be numeric' };
  const ttl = readTtl(query.get('ttl'));
  if (ttl === undefined) return { status: 400, message: 'illegal param, ttl must be numeric' };
  const layers = gzipLayers(headerText(request.headers['content-encoding']));
  if (typeof layers !== 'number') return { status: 415, message: layers.message };
  return { id, ttl, layers };
}
