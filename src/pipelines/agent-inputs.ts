import { readFileSync } from 'node:fs';
import type { Observable } from 'rxjs';
import type { Batch, ByteBlock, Target } from '../model/batch.js';
import type { ComponentLog, CreditGate, Source } from '../model/component.js';
import type { Credentials, Identity } from '../model/exchange.js';
import { type Fault, reasonOf } from '../model/fault.js';
import type { WatchedFigures } from '../model/figure.js';
import type { AgentdSettings } from '../sources/agentd/options.js';
import { AgentdSource } from '../sources/agentd/source.js';
import type { GraphiteSettings } from '../sources/graphite/options.js';
import type { HostexporterSettings } from '../sources/hostexporter/options.js';
import { HostexporterSource, type ScrapeCertificates } from '../sources/hostexporter/source.js';
import type { StatsgwSettings } from '../sources/statsgw/options.js';
import { LineListener } from '../sources/support/line-listener.js';
import { LossLog } from '../sources/support/loss-log.js';
import { openPackets, type PacketRefusals, parseUserFile } from '../transforms/open-packets.js';
import { type DataSourceNames, parseTypesDatabase } from '../transforms/parse/agentd.js';
import type { ServiceSignals } from './events/signals.js';
import { type Outcomes, reported } from './reported.js';
import { StandingUser } from './standing-user.js';
import { StatisticsSource } from './statsgw.js';
import { nowMicros } from './write/stamp.js';
import type { WriteInput } from './writes.js';

/** What the agents' doors need of the service. */
export interface AgentContext {
  /** A gate for one door: an agent that floods its own holds up nobody else. */
  readonly newGate: () => CreditGate;
  readonly logOf: (component: string) => ComponentLog;
  readonly authenticate: (credentials: Credentials) => Promise<Identity | Fault>;
  /** Shows figures that are read at each scrape of the service's own. */
  readonly watch: (figures: WatchedFigures) => void;
  readonly signals: ServiceSignals;
}

/** Settings of the doors; see the option tables of the sources. */
export interface AgentSettings {
  readonly agentd: AgentdSettings;
  readonly graphite: GraphiteSettings;
  readonly hostexporter: HostexporterSettings;
  readonly statsgw: StatsgwSettings;
}

/** The doors of metric agents that are switched on. Nobody tells their senders how a write ended, so it is tried again here. */
export function agentInputs(settings: AgentSettings, context: AgentContext): WriteInput[] {
  const inputs: WriteInput[] = [];
  if (settings.agentd.enable) inputs.push(agentd(settings.agentd, context));
  if (settings.statsgw.enable) inputs.push(statsgw(settings.statsgw, context));
  if (settings.graphite.enable) inputs.push(graphite(settings.graphite, context));
  if (settings.hostexporter.enable) inputs.push(hostexporter(settings.hostexporter, context));
  return inputs;
}

/** Settings that every door has. */
interface DoorSettings {
  readonly db: string;
  readonly user: string;
  readonly password: string;
  readonly ttlDays: number;
}

/** The operator named this database in the settings, so it is made when it is missing; senders cannot name another. */
function targetOf({ db, user, ttlDays }: DoorSettings): Target {
  return { database: db, user, createDatabase: true, ttl: ttlDays, precision: 'ns' };
}

/** A door whose batches pass while its configured user is let in, and whose endings are counted and logged. */
function inputOf(
  source: Source<ByteBlock>,
  settings: DoorSettings,
  losses: LossLog,
  context: AgentContext,
): WriteInput {
  const { user, password } = settings;
  const outcomes: Outcomes = { storedRows: 0, rejectedRows: 0, lostBatches: 0 };
  const check = () => context.authenticate({ scheme: 'password', user, password });
  return {
    source: replaced(source, source.batches$.pipe(reported(losses, outcomes))),
    retry: 'here',
    user: new StandingUser(user, check, context.logOf(source.name)),
  };
}

/** The same source with what became of its batches. */
function replaced(source: Source<ByteBlock>, batches$: Observable<Batch<ByteBlock>>): Source<ByteBlock> {
  return {
    name: source.name,
    batches$,
    start: () => source.start(),
    drain: (deadline) => source.drain(deadline),
    stop: () => source.stop(),
  };
}

/** Text of a file that a setting names; the start fails with one line when it cannot be read. */
function readSetting(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`${flag}: ${path} cannot be read: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** Names of the values of each type, from the files of `agentd.typesDb`; undefined without any. */
export function readTypesDatabases(paths: readonly string[]): DataSourceNames | undefined {
  if (paths.length === 0) return undefined;
  return new Map(paths.flatMap((path) => [...parseTypesDatabase(readSetting('agentd.typesDb', path))]));
}

function agentd(settings: AgentdSettings, context: AgentContext): WriteInput {
  const { userFile, securityLevel: level } = settings;
  const log = context.logOf('agentd');
  const losses = new LossLog(log);
  const source = new AgentdSource({ ...settings, target: targetOf(settings) }, context.newGate(), log);
  context.watch({
    adapter_agentd_datagrams: { help: 'Packets that agentd took.', read: () => source.counts.datagrams },
    adapter_agentd_shed_datagrams: { help: 'Packets that agentd shed.', read: () => source.counts.shedDatagrams },
  });
  context.signals.shed.set('agentd', () => source.counts.shedDatagrams);
  const users = userFile === '' ? undefined : parseUserFile(readSetting('agentd.userFile', userFile));
  const refusals: PacketRefusals = { forged: 0, unprotected: 0 };
  context.watch({
    adapter_agentd_forged_packets: {
      help: 'Packets refused because their signature or checksum is wrong, or their user is not known.',
      read: () => refusals.forged,
    },
    adapter_agentd_unprotected_packets: {
      help: 'Packets refused because they are less secure than agentd.securityLevel asks for.',
      read: () => refusals.unprotected,
    },
  });
  const refused = (why: keyof PacketRefusals): void => losses.add('warn', 'Packets were refused.', 1, why);
  const opened = replaced(source, source.batches$.pipe(openPackets({ level, users }, refusals, refused)));
  return inputOf(opened, settings, losses, context);
}

function hostexporter(settings: HostexporterSettings, context: AgentContext): WriteInput {
  const { caCertFile, certFile, keyFile } = settings;
  const read = (flag: string, path: string): Buffer => Buffer.from(readSetting(`hostexporter.${flag}`, path));
  const certificates: ScrapeCertificates = {
    ...(caCertFile === '' ? {} : { ca: read('caCertFile', caCertFile) }),
    ...(certFile === '' ? {} : { cert: read('certFile', certFile) }),
    ...(keyFile === '' ? {} : { key: read('keyFile', keyFile) }),
  };
  const log = context.logOf('hostexporter');
  const authorization = authorizationOf(settings);
  const { signals$ } = context.signals;
  const scraped = (address: string, problem: string | undefined): void =>
    signals$.next({ kind: 'target', address, problem });
  const options = { ...settings, ...certificates, authorization, target: targetOf(settings), scraped };
  const source = new HostexporterSource(options, context.newGate(), log);
  context.watch({
    adapter_hostexporter_scrapes: { help: 'Scrapes that were begun.', read: () => source.counts.scrapes },
    adapter_hostexporter_failed_scrapes: { help: 'Scrapes that failed.', read: () => source.counts.failedScrapes },
    adapter_hostexporter_skipped_scrapes: {
      help: 'Scrapes left out: the one before, or too many, were going on, or memory was short.',
      read: () => source.counts.skippedScrapes,
    },
  });
  return inputOf(source, settings, new LossLog(log), context);
}

/** A bearer token is stronger than a name and password. */
function authorizationOf({ httpBearerTokenString, httpUsername, httpPassword }: HostexporterSettings): string {
  if (httpBearerTokenString !== '') return `Bearer ${httpBearerTokenString}`;
  if (httpUsername === '') return '';
  return `Basic ${Buffer.from(`${httpUsername}:${httpPassword}`).toString('base64')}`;
}

function graphite(settings: GraphiteSettings, context: AgentContext): WriteInput {
  const log = context.logOf('graphite');
  const listener = { ...settings, name: 'graphite', format: 'graphite', target: targetOf(settings) } as const;
  const source = new LineListener(listener, context.newGate(), log);
  context.signals.shed.set('graphite', () => source.counts.shedDatagrams);
  context.watch({
    adapter_graphite_datagrams: { help: 'Datagrams that graphite took.', read: () => source.counts.datagrams },
    adapter_graphite_shed_datagrams: {
      help: 'Datagrams that graphite shed.',
      read: () => source.counts.shedDatagrams,
    },
    adapter_graphite_refused_connections: {
      help: 'Connections that graphite refused because there were too many.',
      read: () => source.counts.refusedConnections,
    },
    adapter_graphite_too_long_lines: {
      help: 'Lines that graphite dropped because they were too long.',
      read: () => source.counts.tooLongLines,
    },
  });
  return inputOf(source, settings, new LossLog(log), context);
}

function statsgw(settings: StatsgwSettings, context: AgentContext): WriteInput {
  const target = targetOf(settings);
  const log = context.logOf('statsgw');
  const losses = new LossLog(log);
  const { protocol } = settings;
  const listener = { ...settings, name: 'statsgw', format: 'statsd', protocols: [protocol], target } as const;
  const source = new LineListener(listener, context.newGate(), log);
  const statistics = new StatisticsSource(source, settings, { target, nowMicros }, losses);
  context.signals.shed.set('statsgw', () => source.counts.shedDatagrams);
  context.watch({
    adapter_statsgw_messages: { help: 'Messages that statsgw read.', read: () => statistics.counts.messages },
    adapter_statsgw_rejected_lines: { help: 'Bad lines of statsgw.', read: () => statistics.counts.rejectedLines },
    adapter_statsgw_skipped_gathers: {
      help: 'Gathers left out because earlier ones were not written yet.',
      read: () => statistics.counts.skippedTicks,
    },
    adapter_statsgw_datagrams: { help: 'Datagrams that statsgw took.', read: () => source.counts.datagrams },
    adapter_statsgw_shed_datagrams: {
      help: 'Datagrams that statsgw shed.',
      read: () => source.counts.shedDatagrams,
    },
    adapter_statsgw_refused_connections: {
      help: 'Connections that statsgw refused because there were too many.',
      read: () => source.counts.refusedConnections,
    },
  });
  return inputOf(statistics, settings, losses, context);
}
