import { Codes, type Fault, fault } from '../model/fault.js';

/** Most gzip layers of one request body; each costs a window of memory. */
const maxGzipLayers = 4;

/** A coding list that cannot be undone; the door answers 415. */
export const unsupportedEncoding: Fault = fault(
  'parameter',
  Codes.free,
  `unsupported Content-Encoding: gzip may stand alone or up to ${maxGzipLayers} times`,
);

/**
 * How many layers of compression a request body is wrapped in. Codings without any gzip in them (`snappy`, `br`) are none of the
 * door's business: the bytes go on as they are. Gzip together with another coding is a fault.
 */
export function gzipLayers(contentEncoding: string | undefined): number | Fault {
  if (contentEncoding === undefined || !contentEncoding.toLowerCase().includes('gzip')) return 0;
  return layersOf(contentEncoding, ['gzip', 'x-gzip']);
}

/** The same where `deflate` is undone too, and every other coding is a fault. */
export function knownLayers(contentEncoding = ''): number | Fault {
  return layersOf(contentEncoding, ['gzip', 'x-gzip', 'deflate']);
}

function layersOf(contentEncoding: string, undone: readonly string[]): number | Fault {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const undoable = codings.every((coding) => undone.includes(coding));
  return undoable && codings.length <= maxGzipLayers ? codings.length : unsupportedEncoding;
}

/** True when an `Accept-Encoding` header takes gzip: named itself or by `*`, and not with weight 0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  let any = false;
  for (const entry of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const wanted = !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return wanted;
    if (coding === '*') any = wanted;
  }
  return any;
}
