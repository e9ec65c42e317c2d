import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../fixtures');

/** Path of a file or folder under `fixtures/`. */
export function fixturePath(name: string): string {
  return join(root, name);
}

/** A packet of a metric agent, and what the agent says is in it. */
export interface AgentRecording {
  readonly name: string;
  readonly packet: Buffer;
  readonly lists: readonly {
    readonly host: string;
    readonly plugin: string;
    readonly plugin_instance: string;
    readonly type: string;
    readonly type_instance: string;
    readonly time_ns: string;
    readonly values: readonly { readonly value: number | string }[];
  }[];
}

export function agentRecordings(): AgentRecording[] {
  const folder = fixturePath('agentd');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.bin'))
    .map((name) => {
      const meaning: { value_lists: AgentRecording['lists'] } = JSON.parse(
        readFileSync(join(folder, name.replace('.bin', '.json')), 'utf8'),
      );
      return { name, packet: readFileSync(join(folder, name)), lists: meaning.value_lists };
    });
}

/** What a sender of telnet lines wrote, and what its lines mean. */
export interface TelnetRecording {
  readonly points: readonly {
    readonly metric: string;
    readonly timestamp: number;
    readonly value: number;
    readonly tags: Readonly<Record<string, string>>;
  }[];
  readonly invalid: readonly { readonly line: string }[];
  readonly commands: readonly string[];
}

export function telnetRecording(name: string): { readonly bytes: Buffer; readonly recording: TelnetRecording } {
  const recording: TelnetRecording = JSON.parse(readFileSync(fixturePath(`tsdbwire/${name}.json`), 'utf8'));
  return { bytes: readFileSync(fixturePath(`tsdbwire/${name}.bin`)), recording };
}

/** What a StatsD client sent at once, and the metrics in it. */
export interface StatsRecording {
  readonly transport: string;
  readonly payload: string;
  readonly metrics: readonly {
    readonly name: string;
    readonly value: string;
    readonly type: string;
    readonly sample_rate: number | null;
    readonly bucket_tags: Readonly<Record<string, string>>;
    readonly hash_tags: readonly string[] | null;
  }[];
}

export function statsRecordings(): StatsRecording[] {
  const lines = readFileSync(fixturePath('statsgw/payloads.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** What the reference daemon made of all recorded datagrams in one interval. */
export interface StatsReference {
  readonly counters: Readonly<Record<string, number>>;
  readonly gauges: Readonly<Record<string, number>>;
  readonly timers: Readonly<Record<string, readonly number[]>>;
  readonly sets: Readonly<Record<string, readonly string[]>>;
}

export function statsReference(): StatsReference {
  return JSON.parse(readFileSync(fixturePath('statsgw/aggregate-of-all-udp.json'), 'utf8'));
}
