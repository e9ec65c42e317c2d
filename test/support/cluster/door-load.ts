import { connect, type Socket } from 'node:net';
import { attributesOf, otlpRequest, requestOf } from '../otlp-messages.js';
import { type Listening, post, sql } from '../processes.js';
import { labelsOf, writeBody } from '../remote-messages.js';

const startMs = Date.UTC(2026, 0, 1);
export const seriesOfWrite = 10;

/** A way in: how it is written to with so many rows, all of them in one request. */
export interface LoadDoor {
  readonly name: string;
  /** A query of how many rows it has stored. */
  readonly count: string;
  /** Sends rows of {@link seriesOfWrite} series under a number; true when the answer says that they are safe. */
  send(adapter: Listening, number: number): Promise<boolean>;
}

const series = Array.from({ length: seriesOfWrite }, (_, i) => `s${i}`);
const database = 'd';

async function posted(
  adapter: Listening,
  path: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const { status } = await post(adapter.port, path, body, headers);
  return status >= 200 && status < 300;
}

/** All ways in that answer whether rows are safe, by table of the database `d`. */
export const loadDoors: readonly LoadDoor[] = [
  {
    name: 'lines',
    count: `SELECT count(*) FROM ${database}.lines`,
    send: (adapter, number) => {
      const lines = series.map((name) => `lines,s=${name} v=${number} ${startMs + number}`);
      return posted(adapter, `/lineproto/v1/write?db=${database}&precision=ms`, lines.join('\n'));
    },
  },
  {
    name: 'INSERT',
    count: `SELECT count(*) FROM ${database}.typed`,
    send: async (adapter, number) => {
      const rows = series.map((name, i) => `${database}.${name} USING ${database}.typed TAGS (${i}) VALUES`);
      const made = 'CREATE STABLE IF NOT EXISTS d.typed (ts TIMESTAMP, v INT) TAGS (g INT)';
      if (number === 0 && (await sql(adapter, made)).code !== 0) return false;
      const text = rows.map((into) => `${into} (${startMs + number}, ${number})`).join(' ');
      return (await sql(adapter, `INSERT INTO ${text}`)).code === 0;
    },
  },
  {
    name: 'OpenTSDB JSON',
    count: `SELECT count(*) FROM ${database}.tsdb`,
    send: (adapter, number) => {
      const points = series.map((s) => ({
        metric: 'tsdb',
        timestamp: startMs + number,
        value: number,
        tags: { s },
      }));
      return posted(adapter, `/tsdbwire/v1/put/json/${database}`, JSON.stringify(points));
    },
  },
  {
    name: 'remote write',
    count: `SELECT count(*) FROM ${database}.metrics`,
    send: (adapter, number) => {
      const body = series.map((s) => ({
        labels: labelsOf({ __name__: 'remote', s }),
        samples: [{ value: number, timestamp: startMs + number }],
      }));
      return posted(adapter, `/metricsdb/v1/remote_write/${database}`, writeBody(body));
    },
  },
  {
    name: 'OTLP',
    count: `SELECT count(*) FROM ${database}.otlp`,
    send: (adapter, number) => {
      const timeUnixNano = String(BigInt(startMs + number) * 1_000_000n);
      const dataPoints = series.map((s) => ({ timeUnixNano, asDouble: number, attributes: attributesOf({ s }) }));
      const body = otlpRequest(requestOf([{ name: 'otlp', gauge: { dataPoints } }]));
      return posted(adapter, `/v1/metrics?db=${database}`, body, { 'content-type': 'application/x-protobuf' });
    },
  },
];

/** A connection that nobody answers on: StatsD over TCP. What waits in a killed adapter to be aggregated is gone with it. */
export class StatsdSender {
  /** Values that were sent. */
  sent = 0;
  #socket: Socket | undefined;
  #port = 0;

  send(port: number): void {
    if (this.#socket === undefined || this.#socket.destroyed || this.#port !== port) {
      this.#socket?.destroy();
      this.#port = port;
      this.#socket = connect(port, '127.0.0.1').on('error', () => {});
    }
    this.sent++;
    this.#socket.write(`kills:${this.sent}|g\n`);
  }

  end(): void {
    this.#socket?.destroy();
  }
}
