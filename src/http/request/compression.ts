import { Codes, type Fault, fault } from '../../model/fault.js';

/** Most layers of one request body; each costs a window of memory. */
const maxLayers = 4;

/** A coding list that cannot be undone; the door answers 415. */
export const unsupportedEncoding: Fault = fault(
  'parameter',
  Codes.free,
  `unsupported Content-Encoding: a body may be wrapped in gzip or deflate, up to ${maxLayers} times`,
);

const gzip: readonly string[] = ['gzip', 'x-gzip'];
const gzipAndDeflate: readonly string[] = [...gzip, 'deflate'];
/** Compressions that are not undone. */
const others: readonly string[] = ['br', 'bzip2', 'compress', 'lz4', 'snappy', 'x-compress', 'xz', 'zstd'];

/**
 * How many layers of gzip or deflate a request body is wrapped in. Another compression is a fault. Other words are no matter: some senders put a
 * character set there.
 */
export function bodyLayers(contentEncoding: string | undefined): number | Fault {
  if (contentEncoding === undefined) return 0;
  const codings = codingsOf(contentEncoding);
  return layersOf(
    codings.filter((coding) => gzipAndDeflate.includes(coding) || others.includes(coding)),
    gzipAndDeflate,
  );
}

/**
 * The same of a body that is compressed in a way of its own. Codings without any gzip in them (`snappy`) are none of the door's business: the bytes
 * go on as they are. Gzip together with another coding is a fault.
 */
export function gzipLayers(contentEncoding: string | undefined): number | Fault {
  if (contentEncoding === undefined || !contentEncoding.toLowerCase().includes('gzip')) return 0;
  return layersOf(codingsOf(contentEncoding), gzip);
}

function codingsOf(contentEncoding: string): string[] {
  const codings = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== '' && coding !== 'identity');
}

function layersOf(codings: readonly string[], undone: readonly string[]): number | Fault {
  const isUndone = codings.every((coding) => undone.includes(coding));
  return isUndone && codings.length <= maxLayers ? codings.length : unsupportedEncoding;
}

/** True when an `Accept-Encoding` header takes gzip: named itself or by `*`, and not with weight 0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  let any = false;
  for (const entry of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const isAllowed = !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return isAllowed;
    if (coding === '*') any = isAllowed;
  }
  return any;
}
