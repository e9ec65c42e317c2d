import http from 'node:http';
import https from 'node:https';
import type { Observable } from 'rxjs';
import { nowMicros } from '../../async/clock.js';
import { detached } from '../../async/detached.js';
import { yieldToEventLoop } from '../../async/event-loop.js';
import type { Batch, ByteBlock, Reading, Target } from '../../model/batch.js';
import type { ComponentLog, ReadGate, Source } from '../../model/component.js';
import { expositionHead } from '../../model/exposition-head.js';
import { reasonOf } from '../../model/fault.js';
import type { ScrapePiece } from '../kind.js';
import { Emitter } from '../support/emitter.js';
import { LossLog } from '../support/loss-log.js';
import { type ScrapeOptions, scrape } from './target.js';

/** Files of the TLS settings, as they were read; left out where not set. */
export interface ScrapeCertificates {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** The targets, the interval and the limits of the scrapes. */
export interface HostexporterSourceOptions extends ScrapeCertificates {
  readonly urls: readonly string[];
  readonly gatherDurationMs: number;
  readonly responseTimeoutMs: number;
  readonly insecureSkipVerify: boolean;
  /** `Authorization` header; empty for none. */
  readonly authorization: string;
  readonly maxBodyBytes: number;
  /** Scrapes at the same time. */
  readonly maxScrapes: number;
  readonly target: Target;
  /** Called after each scrape of an address with its result; `problem` is why it failed. */
  readonly scraped?: (address: string, problem: string | undefined) => void;
  /** The pieces that a long scrape is read in; left out, each is read at once. */
  readonly piecesOf?: (scrape: Uint8Array) => Iterable<ScrapePiece> | undefined;
}

/** Counts of the source since the start. */
interface HostexporterCounts {
  scrapes: number;
  failedScrapes: number;
  /** Scrapes left out because the one before was still going on, too many were, or the gate was shut. */
  skippedScrapes: number;
}

/**
 * Asks every target once an interval, each at its own moment within it, so that they do not all come at once. A batch
 * is one scrape, or a piece of it, behind a line with its format and address; another one says whether the target is up
 * and how long it took. All samples without a time have that at which the scrape began.
 */
export class HostexporterSource implements Source<ByteBlock> {
  readonly name = 'hostexporter';
  readonly batches$: Observable<Batch<ByteBlock>>;
  readonly counts: HostexporterCounts = { scrapes: 0, failedScrapes: 0, skippedScrapes: 0 };
  readonly #options: HostexporterSourceOptions;
  readonly #scraping: ScrapeOptions;
  readonly #gate: ReadGate;
  readonly #emitter: Emitter;
  readonly #losses: LossLog;
  readonly #log: ComponentLog;
  readonly #stopped = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #busy = new Set<string>();

  constructor(options: HostexporterSourceOptions, gate: ReadGate, log: ComponentLog) {
    this.#options = options;
    this.#gate = gate;
    this.#log = log;
    this.#losses = new LossLog(log);
    this.#emitter = new Emitter({ origin: this.name, format: 'exposition', target: options.target });
    this.batches$ = this.#emitter.batches$;
    const { ca, cert, key, insecureSkipVerify, authorization, responseTimeoutMs, maxBodyBytes } = options;
    const pool = { keepAlive: true, maxFreeSockets: options.urls.length, scheduling: 'fifo' } as const;
    // Without `ca` the certificate authorities of the system apply.
    const secure = { rejectUnauthorized: !insecureSkipVerify, ...(ca === undefined ? {} : { ca }) };
    const client = cert === undefined || key === undefined ? {} : { cert, key };
    const agents = { http: new http.Agent(pool), https: new https.Agent({ ...pool, ...secure, ...client }) };
    this.#scraping = { authorization, responseTimeoutMs, maxBodyBytes, agents };
  }

  async start(): Promise<void> {
    const { urls, gatherDurationMs } = this.#options;
    for (const [i, url] of urls.entries()) {
      // Spread evenly over the interval, the first after one share of it.
      const first = setTimeout(
        () => {
          this.#timers.delete(first);
          this.#startScrape(url);
          this.#timers.add(setInterval(() => this.#startScrape(url), gatherDurationMs));
        },
        ((i + 1) * gatherDurationMs) / urls.length,
      );
      this.#timers.add(first);
    }
    this.#log.info({ targets: urls.length, intervalMs: gatherDurationMs }, 'Scraping host-metric exporters.');
  }

  async drain(): Promise<void> {
    this.#end();
    await Promise.all(this.#running);
    await this.#emitter.settled();
    this.#emitter.close();
  }

  async stop(): Promise<void> {
    this.#end();
    this.#emitter.close();
    this.#losses.stop();
    this.#scraping.agents.http.destroy();
    this.#scraping.agents.https.destroy();
  }

  /** Scrapes a target now; resolves when its samples were emitted. */
  scrape(url: string): Promise<void> {
    this.#busy.add(url);
    const work: Promise<void> = this.#scrape(url).finally(() => {
      this.#busy.delete(url);
      this.#running.delete(work);
    });
    this.#running.add(work);
    return work;
  }

  #end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#stopped.abort();
  }

  #startScrape(url: string): void {
    if (this.#gate.isHeld) {
      this.counts.skippedScrapes++;
      this.#losses.add('warn', 'A scrape was left out: memory is short.', 1, shownAddress(url));
      return;
    }
    if (this.#busy.has(url) || this.#busy.size >= this.#options.maxScrapes) {
      this.counts.skippedScrapes++;
      this.#losses.add(
        'warn',
        'A scrape was left out: the one before, or too many, are still running.',
        1,
        shownAddress(url),
      );
      return;
    }
    detached(this.scrape(url));
  }

  async #scrape(url: string): Promise<void> {
    await this.#gate.opened();
    if (this.#stopped.signal.aborted) return;
    this.counts.scrapes++;
    const begun = performance.now();
    const reading: Reading = { epoch: 0, nowMicros: nowMicros() };
    let up = 0;
    try {
      const { body, form } = await scrape(url, this.#scraping, this.#stopped.signal);
      up = 1;
      this.#options.scraped?.(shownAddress(url), undefined);
      await this.#emit(Buffer.concat([expositionHead(form, shownAddress(url)), body]), url, reading);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      this.counts.failedScrapes++;
      const reason = reasonOf(error);
      this.#options.scraped?.(shownAddress(url), reason);
      this.#losses.add('warn', 'A target could not be scraped.', 1, `${shownAddress(url)}: ${reason}`);
    }
    const seconds = (performance.now() - begun) / 1000;
    const text = `# TYPE up gauge\nup ${up}\n# TYPE scrape_duration_seconds gauge\nscrape_duration_seconds ${seconds}\n`;
    this.#emitter.emit(Buffer.concat([expositionHead('text', shownAddress(url)), Buffer.from(text)]), 2, reading);
  }

  /** Hands out a scrape, a long one in pieces with a yield to the event loop after each. */
  async #emit(scrape: Buffer, url: string, reading: Reading): Promise<void> {
    const pieces = this.#options.piecesOf?.(scrape);
    if (pieces === undefined) this.#emitter.emit(scrape, 1, reading);
    for (const { bytes, tooLong = false } of pieces ?? []) {
      await this.#gate.opened();
      if (tooLong) this.#losses.add('warn', 'A metric is too long and is not stored.', 1, shownAddress(url));
      else this.#emitter.emit(bytes, 1, reading);
      await yieldToEventLoop();
    }
  }
}

/** An address may hold credentials, which belong neither into the tag nor into the log. */
export function shownAddress(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');
}
