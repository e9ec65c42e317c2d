import { Codes, type Fault, fault } from '../../model/fault.js';

/** Most layers of one request body; each costs a window of memory. */
const maxLayers = 4;
/** Characters of a header that an error repeats. */
const maxNamed = 64;

const gzip: readonly string[] = ['gzip', 'x-gzip'];
const gzipAndDeflate: readonly string[] = [...gzip, 'deflate'];
/** Compressions that are not undone. */
const others: readonly string[] = ['br', 'bzip2', 'compress', 'lz4', 'snappy', 'x-compress', 'xz', 'zstd'];
const wrapped = `wrapped in gzip or deflate, up to ${maxLayers} times`;

/**
 * How many layers of gzip or deflate a request body is wrapped in. Another compression is a fault, which the server
 * answers with 415. Other words are no matter: some senders put a character set there.
 */
export function bodyLayers(contentEncoding: string | undefined): number | Fault {
  return knownLayers(contentEncoding, `a body may be ${wrapped}`);
}

/** The same of a body that is in snappy, whether the header says so or not. */
export function snappyLayers(contentEncoding: string | undefined): number | Fault {
  if (contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'snappy') return 0;
  return knownLayers(contentEncoding, `a body is in snappy and may be ${wrapped}`);
}

/**
 * The same where codings without any gzip in them are not undone here: the bytes are passed on unchanged. Gzip with
 * another coding is a fault.
 */
export function gzipLayers(contentEncoding: string | undefined): number | Fault {
  if (contentEncoding === undefined || !contentEncoding.toLowerCase().includes('gzip')) return 0;
  return layersOf(codingsOf(contentEncoding), gzip, contentEncoding, `a body may be ${wrapped}`);
}

function knownLayers(contentEncoding: string | undefined, expected: string): number | Fault {
  if (contentEncoding === undefined) return 0;
  const codings = codingsOf(contentEncoding);
  const known = codings.filter((coding) => gzipAndDeflate.includes(coding) || others.includes(coding));
  return layersOf(known, gzipAndDeflate, contentEncoding, expected);
}

function codingsOf(contentEncoding: string): string[] {
  const codings = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== '' && coding !== 'identity');
}

function layersOf(
  codings: readonly string[],
  undone: readonly string[],
  header: string,
  expected: string,
): number | Fault {
  const isUndone = codings.every((coding) => undone.includes(coding));
  if (isUndone && codings.length <= maxLayers) return codings.length;
  const named = JSON.stringify(header.slice(0, maxNamed));
  return fault('parameter', Codes.free, `unsupported Content-Encoding ${named}: ${expected}`);
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
