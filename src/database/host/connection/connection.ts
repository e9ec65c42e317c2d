import { totalmem } from 'node:os';
import { type ChdbResult, Session } from 'chdb';
import { quoteIdentifier, quoteString } from '../../../sql/engine/quote.js';
import { rowSettings } from '../../../sql/engine/settings.js';
import { inClientWords } from './client-words.js';
import type { HostOptions } from './options.js';
import type { PieceListener, ResultPipe } from './result-pipe.js';

/** Session settings of one statement, which are undone when it has ended. */
export interface StatementContext {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  /** Values of `{name:Type}`, escaped as in TabSeparated (the engine's rule for `param_*`). */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Of statements that set nothing. */
export const noContext: StatementContext = { database: '', settings: new Map(), parameters: new Map() };

const baseDatabase = 'default';

/**
 * `implicit_select=0`: a text that begins with no keyword is an error, as on a server. `max_query_size`: long id lists
 * come as text. `max_parser_depth`, `max_parser_backtracks`: so do deep unions and long chains of conditions; the
 * engine watches its stack itself. `background_merges_mutations_concurrency_ratio`: how many parts for each thread may
 * be worked on in turn. With the engine's own 2 a DELETE over more parts than that pauses for most of a second after
 * each few of them. `memory_worker_period_ms`: how often it compares the memory that it has counted with what the
 * system says; at its own pace, that is half of what it does at rest. `output_format_parallel_formatting`: two more
 * threads print a result, which takes 0.7 ms of processor time however short it is; statements with long results switch
 * it on. `uncompressed_cache_size`: memory for pieces of columns as they are read, which queries about short series
 * share; without one there is none. `merge_tree_max_rows_to_use_cache`, and the same in bytes, of which the larger
 * counts: queries that read more rows do not fit, and would only evict the others. `rowSettings`: see
 * `withoutRowSettings`.
 */
const baseArgs = [
  '--implicit_select=0',
  `--max_query_size=${64 * 1024 * 1024}`,
  '--max_parser_depth=10000',
  '--max_parser_backtracks=100000000',
  '--background_merges_mutations_concurrency_ratio=8',
  '--memory_worker_period_ms=500',
  '--output_format_parallel_formatting=0',
  `--uncompressed_cache_size=${32 * 1024 * 1024}`,
  '--merge_tree_max_rows_to_use_cache=786432',
  '--merge_tree_max_bytes_to_use_cache=1',
  ...Object.entries(rowSettings).map(([name, value]) => `--${name}=${value}`),
];

/** How much of the memory that there is one statement may use, unless a limit is given. */
const statementShare = 1 / 3;
/** The same of the statements of one user together. */
const userShare = 1 / 2;

/**
 * Engine options of a host's limits of memory: of the engine, where 0 leaves its own, nine tenths of the machine, and
 * of one statement, so that no reader takes the memory of all.
 */
export function memoryArgs({
  maxMemoryBytes,
  maxStatementBytes,
}: Pick<HostOptions, 'maxMemoryBytes' | 'maxStatementBytes'>): readonly string[] {
  const statement = maxStatementBytes || Math.floor(memoryThere() * statementShare);
  const ofStatement = `--max_memory_usage=${statement}`;
  return maxMemoryBytes > 0 ? [`--max_server_memory_usage=${maxMemoryBytes}`, ofStatement] : [ofStatement];
}

/** Bytes that the statements of one user may use together. */
export function userBytes({ maxUserBytes }: Pick<HostOptions, 'maxUserBytes'>): number {
  return maxUserBytes || Math.floor(memoryThere() * userShare);
}

/** Memory of the machine, or of the container where that has less. */
function memoryThere(): number {
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(totalmem(), allowed) : totalmem();
}

/** How a connection is made. */
interface ConnectionOptions {
  readonly path: string;
  readonly engineArgs: readonly string[];
  /** Without one, only short results. */
  readonly pipe: ResultPipe | undefined;
  /** True for a connection that belongs to one client session: what its statements set stays. */
  readonly keepsState: boolean;
}

/** Settings that change others, or that cannot be taken back: the engine session is replaced after them. */
const sticky = new Set(['profile', 'compatibility', 'readonly', 'allow_ddl', 'allow_introspection_functions']);

/** A raw line break parses as no value of any type, so a parameter left over from before cannot be read by accident. */
const noValue = "'\\n'";
const maxParameterNames = 1000;

/** The engine keeps a failed statement, with its locks and its memory, until the session begins another one. */
const nothing = 'SELECT 1';

/**
 * One session of the engine. It runs one statement at a time and leaves nothing of it behind: settings and the current
 * database go back to what they were, and where that is impossible the session is replaced, which takes 1 ms.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #pipe: ResultPipe | undefined;
  #session: Session;
  /** Settings that differ from the engine's defaults on a new session. */
  #base: ReadonlyMap<string, string> | undefined;
  readonly #parameterNames = new Set<string>();
  #cleanUp: string[] = [];
  /** Resolves when a statement that failed has let go of the pipe. */
  #letGo: Promise<void> = Promise.resolve();
  #replace = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#pipe = options.pipe;
    this.#session = newSession(options);
  }

  get streams(): boolean {
    return this.#pipe !== undefined;
  }

  /** Runs one statement with a short result, which comes back whole. Rejects with the engine's error. */
  async run(text: string, format: string, context: StatementContext, tag: string): Promise<ChdbResult> {
    const prefix = await this.#prepare(context);
    try {
      return await this.#session.queryAsync(`${prefix}${tag}${text}`, { format });
    } catch (error) {
      this.#cleanUp.push(nothing);
      throw inClientWords(error, { tag, head: text, outfile: '' });
    }
  }

  /**
   * Runs a query and hands out its result piece by piece, the last before the promise settles. Rejects with the
   * engine's error, possibly after pieces were handed out; they may then end like a whole result and must not be taken
   * for one.
   */
  async stream(
    head: string,
    tail: string,
    context: StatementContext,
    tag: string,
    listener: PieceListener,
  ): Promise<ChdbResult> {
    const pipe = this.#pipe;
    if (pipe === undefined) throw new Error('This connection has no pipe.');
    const prefix = await this.#prepare(context);
    pipe.listen(listener);
    const outfile = `INTO OUTFILE ${quoteString(pipe.path)} TRUNCATE COMPRESSION 'none' `;
    try {
      const text = `${prefix}${tag}${head}\n${outfile}${tail}`;
      const result = await this.#session.queryAsync(text, { format: 'Null' });
      await pipe.finish();
      return result;
    } catch (error) {
      this.#letGo = pipe.discard().catch(() => {});
      this.#cleanUp.push(nothing);
      throw inClientWords(error, { tag, head, outfile });
    }
  }

  /** Resumes the pipe after a listener has paused it. */
  resume(): void {
    this.#pipe?.resume();
  }

  /** Makes sure that the next statement finds a new session; without effect where state is kept. */
  spoil(): void {
    this.#replace = !this.#options.keepsState;
  }

  /** Takes back what the last statement changed. Call it before the connection serves anyone else. */
  async restore(): Promise<void> {
    await this.#letGo;
    const statements = this.#cleanUp;
    this.#cleanUp = [];
    if (!this.#replace && statements.length > 0) {
      await this.#session.queryAsync(statements.join('; '), { format: 'Null' }).catch(() => this.spoil());
    }
    if (this.#replace || this.#parameterNames.size > maxParameterNames) this.#renew();
  }

  close(): void {
    this.#session.close();
    this.#pipe?.close();
  }

  #renew(): void {
    this.#replace = false;
    this.#parameterNames.clear();
    this.#session.close();
    this.#session = newSession(this.#options);
  }

  /** The statements that go before, and the note of how to take them back. */
  async #prepare(context: StatementContext): Promise<string> {
    const { settings, parameters, database } = context;
    let prefix = '';
    if (settings.size > 0) {
      const base = await this.#baseSettings();
      prefix += `SET ${[...settings].map(([name, value]) => `${quoteIdentifier(name)} = ${quoteString(value)}`).join(', ')}; `;
      this.#cleanUp.push(
        ...[...settings.keys()].map((name) => `SET ${quoteIdentifier(name)} = ${restored(base, name)}`),
      );
      if ([...settings.keys()].some((name) => sticky.has(name))) this.spoil();
    }
    if (parameters.size > 0) {
      prefix += `SET ${[...parameters].map(([name, value]) => `${parameterName(name)} = ${quoteString(value)}`).join(', ')}; `;
      const forget = [...parameters.keys()].map((name) => `${parameterName(name)} = ${noValue}`);
      this.#cleanUp.push(`SET ${forget.join(', ')}`);
      for (const name of parameters.keys()) this.#parameterNames.add(name);
    }
    const current = this.#options.keepsState && database !== '' ? await this.#currentDatabase() : baseDatabase;
    if (database !== current && database !== '') {
      prefix += `USE ${quoteIdentifier(database)}; `;
      this.#cleanUp.push(`USE ${quoteIdentifier(current)}`);
    }
    return prefix;
  }

  async #currentDatabase(): Promise<string> {
    const result = await this.#session.queryAsync('SELECT currentDatabase()', { format: 'TSVRaw' });
    return result.text().trimEnd();
  }

  async #baseSettings(): Promise<ReadonlyMap<string, string>> {
    if (this.#base !== undefined && !this.#options.keepsState) return this.#base;
    const sql = 'SELECT name, value FROM system.settings WHERE changed';
    const result = await this.#session.queryAsync(sql, { format: 'JSONCompactEachRow' });
    const base = new Map<string, string>();
    for (const line of result.text().split('\n')) {
      const row: unknown = line === '' ? undefined : JSON.parse(line);
      if (Array.isArray(row)) base.set(String(row[0]), String(row[1]));
    }
    this.#base = base;
    return base;
  }
}

function newSession(options: ConnectionOptions): Session {
  return new Session(options.path, { connectionArgs: [...baseArgs, ...options.engineArgs] });
}

function restored(base: ReadonlyMap<string, string>, name: string): string {
  const value = base.get(name);
  return value === undefined ? 'DEFAULT' : quoteString(value);
}

/** The engine reads a parameter's name as part of one word, so it must be one. */
function parameterName(name: string): string {
  return `param_${name.replaceAll(/\W/g, '_')}`;
}
