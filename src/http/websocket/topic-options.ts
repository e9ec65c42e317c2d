import { FaultError } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import type { WantedConsumer } from '../../model/topic-message.js';
import { parameterFault } from '../request/parameters.js';
import type { Arguments } from './arguments.js';

/** What a consumer subscribes to, and how. */
export interface Subscribe {
  readonly topics: readonly string[];
  readonly consumer: WantedConsumer;
  /** How long it may not poll before it leaves its group, in ms. */
  readonly maxPollIntervalMs: number;
}

const maxTopics = 1_000;
const maxNameBytes = 192;
const maxMs = 86_400_000;
const resets = ['earliest', 'latest', 'none'] as const;

/** The options by their names in `config`, with their names as arguments. */
const optionArguments = {
  'group.id': ['group_id'],
  'client.id': ['client_id'],
  'auto.offset.reset': ['offset_reset', 'offset_rest'],
  'enable.auto.commit': ['auto_commit'],
  'auto.commit.interval.ms': ['auto_commit_interval_ms'],
  'msg.with.table.name': ['with_table_name'],
  'session.timeout.ms': ['session_timeout_ms'],
  'max.poll.interval.ms': ['max_poll_interval_ms'],
  'enable.replay': [],
  'msg.consume.rawdata': ['msg_consume_rawdata'],
  // These change nothing: every topic gives all that is stored, and no definitions.
  'experimental.snapshot.enable': ['snapshot_enable'],
  'msg.enable.batchmeta': ['enable_batch_meta'],
  'msg.consume.excluded': ['msg_consume_excluded'],
  'fetch.max.wait.ms': [],
  'min.poll.rows': [],
} as const;

type OptionName = keyof typeof optionArguments;

/** Reads the arguments of `subscribe`. Throws a FaultError that names the first one that is not right. */
export function readSubscribe(args: Arguments): Subscribe {
  const options = new ConsumerArguments(args);
  for (const refused of ['enable.replay', 'msg.consume.rawdata'] as const) {
    if (options.flag(refused, false)) throw new FaultError(notSupported(refused));
  }
  const topics = args.list('topics').map((topic) => {
    if (typeof topic !== 'string' || topic === '') throw bad('args.topics must be a list of names');
    return topic;
  });
  if (topics.length === 0) throw bad('args.topics must name a topic');
  if (topics.length > maxTopics) throw bad(`args.topics must have at most ${maxTopics} names`);
  const offsetReset = options.text('auto.offset.reset', 'latest').toLowerCase();
  const reset = resets.find((each) => each === offsetReset);
  if (reset === undefined) throw bad(`auto.offset.reset must be ${resets.join(', ')}`);
  const group = options.name('group.id');
  if (group === '') throw bad('group.id must not be empty');
  return {
    topics: [...new Set(topics)],
    consumer: {
      group,
      clientId: options.name('client.id'),
      offsetReset: reset,
      autoCommit: options.flag('enable.auto.commit', false),
      autoCommitIntervalMs: options.ms('auto.commit.interval.ms', 1) ?? 5_000,
      withTableName: options.flag('msg.with.table.name', true),
      sessionTimeoutMs: options.ms('session.timeout.ms', 6_000),
    },
    maxPollIntervalMs: options.ms('max.poll.interval.ms', 1_000) ?? 300_000,
  };
}

/** Options, which are arguments of their own or members of `config`. Clients write numbers and switches as texts. */
class ConsumerArguments {
  readonly #args: Arguments;
  readonly #config: Arguments;

  constructor(args: Arguments) {
    this.#args = args;
    this.#config = args.members('config');
    for (const name of this.#config.names()) {
      if (!(name in optionArguments) && !name.startsWith('td.connect.')) {
        throw bad(`unknown option ${JSON.stringify(name.slice(0, 64))} in args.config`);
      }
    }
  }

  text(name: OptionName, fallback: string): string {
    for (const [args, key] of this.#places(name)) {
      const value = args.value(key);
      if (value === undefined || value === '') continue;
      if (typeof value === 'object') throw bad(`${name} must be a text`);
      return String(value);
    }
    return fallback;
  }

  name(name: OptionName): string {
    const value = this.text(name, '');
    if (Buffer.byteLength(value) > maxNameBytes) throw bad(`${name} must have at most ${maxNameBytes} bytes`);
    return value;
  }

  flag(name: OptionName, fallback: boolean): boolean {
    const value = this.text(name, String(fallback)).toLowerCase();
    if (value === 'true' || value === '1') return true;
    if (value === 'false' || value === '0') return false;
    throw bad(`${name} must be true or false`);
  }

  ms(name: OptionName, least: number): number | undefined {
    const value = this.text(name, '');
    if (value === '') return undefined;
    const ms = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(ms >= least && ms <= maxMs)) throw bad(`${name} must be an integer from ${least} to ${maxMs}`);
    return ms;
  }

  #places(name: OptionName): (readonly [Arguments, string])[] {
    return [[this.#config, name], ...optionArguments[name].map((key) => [this.#args, key] as const)];
  }
}

function bad(message: string): FaultError {
  return new FaultError(parameterFault(message));
}
