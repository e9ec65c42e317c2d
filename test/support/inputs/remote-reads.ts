import { buffer } from 'node:stream/consumers';
import {
  labelsOf,
  Matcher,
  type ReadSeries,
  readAnswer,
  readBody,
  type TestQuery,
  writeBody,
} from '../messages/remote-messages.js';
import { basic, type TestService } from '../service/service.js';

/** An answer of remote read. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** What tests of remote read do with a service. */
export function remoteReads(service: TestService) {
  async function request(
    database: string,
    body: Uint8Array | string,
    more: { port?: number; auth?: string | false; query?: string } = {},
  ): Promise<Answer> {
    const { auth = basic, query = '' } = more;
    const response = await service.open({ path: `/metricsdb/v1/remote_read/${database}${query}`, body, auth });
    return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
  }

  /** The results of queries that must succeed. */
  async function read(database: string, ...queries: TestQuery[]): Promise<(readonly ReadSeries[])[]> {
    const { status, bytes } = await request(database, readBody(queries));
    if (status !== 200) throw new Error(`${status} ${bytes}`);
    return readAnswer(bytes);
  }

  async function write(database: string, body: Buffer): Promise<void> {
    const reply = await service.request({ path: `/metricsdb/v1/remote_write/${database}`, body });
    if (reply.status !== 204) throw new Error(reply.text);
  }
  return { request, read, write };
}

/** When the test data begins, in Unix ms. */
export const start = 1_700_000_000_000;

/** Labels of the test data. */
export const up = { __name__: 'up', job: 'n' };
/** Labels of three series, of which one has no zone. */
export const zones = ['', 'a', 'b'].map((zone) => ({ __name__: 'zones', ...(zone === '' ? {} : { zone }) }));
/** Labels with characters that texts of other formats escape. */
export const odd = { __name__: 'odd', text: `it's "q" \\ back\nline ünï 😀 \u0001`, 'Ü.x': '1' };

/** The test data as a body of remote write. */
export const seriesRead = writeBody([
  { labels: labelsOf(up), samples: [1, 2, 3].map((value) => ({ value, timestamp: start + value * 1000 })) },
  ...zones.map((labels, i) => ({ labels: labelsOf(labels), samples: [{ value: i, timestamp: start }] })),
  { labels: labelsOf(odd), samples: [{ value: -0.1, timestamp: start }] },
]);

/** A query over the whole time of the test data. */
export function query(...matchers: readonly (readonly [keyof typeof Matcher, string, string])[]): TestQuery {
  return {
    start_timestamp_ms: start,
    end_timestamp_ms: start + 1_000_000,
    matchers: matchers.map(([type, name, value]) => ({ type: Matcher[type], name, value })),
  };
}
