import { type StatsFs, statfsSync } from 'node:fs';
import { freeBytesOf } from '../bytes/free-bytes.js';
import type { Settings } from '../config/adapter-settings.js';
import type { ComponentLog, ReadGate } from '../model/component.js';
import type { WatchedMetrics } from '../model/metric.js';
import { version } from '../model/version.js';
import { MemoryGuard } from '../pipelines/memory-guard.js';
import { SelfMetricsSource } from '../sources/self-metrics/source.js';
import { collectGarbage } from '../telemetry/collect-garbage.js';
import { IntervalMetrics } from '../telemetry/interval-metrics.js';
import { ServiceMetrics } from '../telemetry/metrics.js';
import { MetricsHistory } from '../telemetry/metrics-history.js';
import { StatsdSender } from '../telemetry/statsd-sender.js';
import { SystemMeter } from '../telemetry/system-usage.js';
import { encodeMetricRows } from '../transforms/encode/metric-lines.js';

/** Database of the self metrics. */
const metricsDatabase = 'log';

/** Other processes of the service. */
interface ServiceProcesses {
  /** That of the embedded engine. */
  pid(): number | undefined;
  companions(): readonly number[];
  /** True for a worker: the primary process reports the metrics that all share. */
  readonly isWorker?: boolean;
}

/** The parts that monitor the service. */
export interface Monitoring {
  readonly guard: MemoryGuard;
  readonly metrics: ServiceMetrics;
  /** The metrics of the last hour. */
  readonly history: MetricsHistory;
}

/**
 * Builds the metrics and the memory guard, which share one sample of the system. `readMemoryPercent` replaces
 * the measured memory in tests.
 */
export function createMonitoring(
  { monitor, database }: Settings,
  processes: ServiceProcesses,
  log: ComponentLog,
  readMemoryPercent?: () => number,
): Monitoring {
  const metrics = new ServiceMetrics({
    version,
    http: !monitor.disable,
    hideClients: monitor.disableCollectClientIP,
    windowMs: monitor.writeIntervalMs,
  });
  const { pid, companions, isWorker } = processes;
  const meter = new SystemMeter({ incgroup: monitor.incgroup, companions });
  const guard = new MemoryGuard({
    pauseQueryPercent: monitor.pauseQueryMemoryPercent,
    pauseAllPercent: monitor.pauseAllMemoryPercent,
    intervalMs: monitor.collectDurationMs,
    readPercent: () => {
      const { cpuPercent, memoryPercent } = meter.sample();
      const percent = readMemoryPercent?.() ?? memoryPercent;
      metrics.sampled(cpuPercent, percent);
      return percent;
    },
    relieve: collectGarbage,
    log,
  });
  metrics.watch({ adapter_memory_bytes: { help: 'Memory in use by the adapter.', read: () => meter.memory().own } });
  const memory = new MetricsHistory(() => metrics.values());
  if (isWorker === true) return { guard, metrics, history: memory };
  metrics.watch({
    adapter_engine_memory_bytes: {
      help: 'Resident memory of the embedded engine.',
      read: () => meter.residentBytes(pid() ?? 0),
    },
    adapter_memory_limit_bytes: {
      help: 'Memory of the machine or container.',
      read: () => meter.memory().limit,
    },
    ...diskMetrics(database),
    adapter_memory_guard_query_percent: {
      help: 'Memory use above which queries are refused.',
      read: () => monitor.pauseQueryMemoryPercent,
    },
    adapter_memory_guard_all_percent: {
      help: 'Memory use above which queries and writes are refused.',
      read: () => monitor.pauseAllMemoryPercent,
    },
  });
  return { guard, metrics, history: memory };
}

/** The disk of the embedded engine; nothing for an external database. */
function diskMetrics({ mode, path }: Settings['database']): WatchedMetrics {
  if (mode === 'cluster') return {};
  const read = (of: (stats: StatsFs) => number) => () => {
    try {
      return of(statfsSync(path));
    } catch {
      return Number.NaN;
    }
  };
  return {
    adapter_disk_free_bytes: {
      help: 'Free bytes of the disk that holds the data.',
      read: read(freeBytesOf),
    },
    adapter_disk_bytes: {
      help: 'Size of the disk that holds the data.',
      read: read(({ blocks, bsize }) => blocks * bsize),
    },
  };
}

/** Sender of the self metrics as StatsD (`monitor.statsd`), if there is one. */
export function statsdSenders({ monitor }: Settings, metrics: ServiceMetrics, log: ComponentLog): StatsdSender[] {
  if (monitor.statsd === undefined || monitor.disable) return [];
  const options = { ...monitor.statsd, intervalMs: monitor.statsdIntervalMs, prefix: monitor.statsdPrefix };
  return [new StatsdSender(options, () => metrics.values(), log)];
}

/** The source of `monitor.writeToDB`; undefined when it is off. */
export function selfMetrics(
  { monitor }: Settings,
  metrics: ServiceMetrics,
  gate: ReadGate,
  log: ComponentLog,
): SelfMetricsSource | undefined {
  if (!monitor.writeToDB || monitor.disable) return undefined;
  const interval = new IntervalMetrics(metrics, monitor.identity);
  const target = {
    database: metricsDatabase,
    user: monitor.user,
    createDatabase: true,
    ttl: 0,
    precision: 'ns',
  } as const;
  return new SelfMetricsSource(
    {
      intervalMs: monitor.writeIntervalMs,
      target,
      take: async () => encodeMetricRows(await interval.take(), BigInt(Date.now()) * 1_000_000n),
      giveBack: () => interval.restore(),
    },
    gate,
    log,
  );
}
