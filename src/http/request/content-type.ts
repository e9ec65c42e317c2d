import type { Call } from './call.js';

/** The content type as it came; the server takes it off the other headers, so that no body is read by it. */
export function contentType({ request }: Call): string | undefined {
  return request.raw.headersDistinct['content-type']?.[0];
}

/** The media type alone, in lower case. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
