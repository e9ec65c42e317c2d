import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

/** Resources that the service uses of its machine or container. */
interface SystemUsage {
  /** Processor time since the last sample, in percent of the limit. */
  readonly cpuPercent: number;
  /** Memory in use, in percent of the limit. */
  readonly memoryPercent: number;
}

/** Memory in bytes. */
interface MemoryUsage {
  /** In use by this process. */
  readonly own: number;
  /** Resident in the processes that belong to it. */
  readonly companions: number;
  /** Memory of the machine, or of the container. */
  readonly limit: number;
}

interface SystemMeterOptions {
  /** Measure against the limits of the control group (`monitor.incgroup`) instead of the machine's. */
  readonly incgroup: boolean;
  /** Further processes that belong to the service, such as its engine. */
  readonly companions?: () => readonly number[];
  /** Memory of this process, as the runtime reports it. */
  readonly ownMemory?: () => NodeJS.MemoryUsage;
  /** Paths of control groups and processes; tests set others than the system's. */
  readonly cgroupPath?: string;
  readonly procPath?: string;
}

/** More than the runtime takes without a heap. */
const maxRuntimeBytes = 128 * 1024 * 1024;

/** Clock ticks in a second as /proc counts them: fixed in the kernel's interface. */
const ticksPerSecond = 100;
const pageBytes = 4096;

/**
 * Measures processor and memory use of the service's processes. Of this process only memory in use counts: pages that
 * the allocator keeps after a peak are reused before it requests more. If a limit is missing, unlimited or not a
 * number, the machine's own counts, and a process that has ended uses no memory.
 */
export class SystemMeter {
  readonly #options: SystemMeterOptions;
  #lastSeconds: number;
  #lastTime = performance.now();
  /** The runtime itself: code, stacks, and everything else outside of the heap at the start. */
  readonly #runtimeBytes: number;

  constructor(options: SystemMeterOptions) {
    this.#options = options;
    const memory = this.#ownMemory();
    this.#runtimeBytes = Math.min(maxRuntimeBytes, Math.max(0, memory.rss - usedBytes(memory)));
    this.#lastSeconds = this.#cpuSeconds();
  }

  /** The present usage; processor time since the last call, or since the meter was made. */
  sample(): SystemUsage {
    const seconds = this.#cpuSeconds();
    const time = performance.now();
    const elapsed = Math.max(0.001, (time - this.#lastTime) / 1000);
    const cpuPercent = Math.max(0, ((seconds - this.#lastSeconds) / elapsed / this.#processors()) * 100);
    this.#lastSeconds = seconds;
    this.#lastTime = time;
    const { own, companions, limit } = this.memory();
    return { cpuPercent, memoryPercent: ((own + companions) / limit) * 100 };
  }

  #cpuSeconds(): number {
    const { user, system } = process.cpuUsage();
    let seconds = (user + system) / 1e6;
    for (const pid of this.#companions()) {
      // The name in parentheses may hold blanks; user and system time are the 12th and 13th field after it.
      const fields = this.#proc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
      seconds += numberOr(0, fields[11]) / ticksPerSecond + numberOr(0, fields[12]) / ticksPerSecond;
    }
    return seconds;
  }

  /** Memory as it is now. */
  memory(): MemoryUsage {
    const memory = this.#ownMemory();
    const own = Math.min(memory.rss, this.#runtimeBytes + usedBytes(memory));
    let companions = 0;
    for (const pid of this.#companions()) companions += this.residentBytes(pid);
    return { own, companions, limit: this.#limitBytes() };
  }

  /** Resident memory of a process; 0 of one that is gone. */
  residentBytes(pid: number): number {
    return numberOr(0, this.#proc(pid, 'statm').split(' ')[1]) * pageBytes;
  }

  #ownMemory(): NodeJS.MemoryUsage {
    return (this.#options.ownMemory ?? process.memoryUsage)();
  }

  #companions(): readonly number[] {
    return this.#options.companions?.() ?? [];
  }

  #proc(pid: number | 'self', file: string): string {
    return textOf(join(this.#options.procPath ?? '/proc', String(pid), file));
  }

  #limitBytes(): number {
    const physical = totalmem();
    if (!this.#options.incgroup) return physical;
    const limits = this.#groups().map((group) => numberOr(physical, this.#cgroup(join(group, 'memory.max'))));
    return Math.min(physical, ...limits, numberOr(physical, this.#cgroup('memory/memory.limit_in_bytes')));
  }

  #processors(): number {
    const all = availableParallelism();
    if (!this.#options.incgroup) return all;
    const shares = this.#groups().map((group) => {
      const [quota, period] = this.#cgroup(join(group, 'cpu.max')).split(' ');
      return share(quota, period) ?? all;
    });
    const older = share(this.#cgroup('cpu/cpu.cfs_quota_us'), this.#cgroup('cpu/cpu.cfs_period_us'));
    return Math.min(...shares, older ?? all);
  }

  /**
   * The control group of this process and those around it, by their paths; a container sees its own as the outermost
   * one.
   */
  #groups(): readonly string[] {
    const path = /^0::\/(.*)$/m.exec(this.#proc('self', 'cgroup'))?.[1] ?? '';
    const names = path.split('/').filter((name) => name !== '' && name !== '..');
    return [...names.keys(), names.length].map((count) => names.slice(0, count).join('/'));
  }

  #cgroup(file: string): string {
    return textOf(join(this.#options.cgroupPath ?? '/sys/fs/cgroup', file));
  }
}

/** Objects and buffers, those included that are not used any more and were not collected yet. */
function usedBytes({ heapUsed, external }: NodeJS.MemoryUsage): number {
  return heapUsed + external;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function numberOr(fallback: number, text: string | undefined): number {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value > 0 ? value : fallback;
}

/** Processors that a quota of time in each period is worth; undefined when it is unlimited (`max`, -1) or missing. */
function share(quota: string | undefined, period: string | undefined): number | undefined {
  const time = numberOr(0, quota);
  const of = numberOr(0, period);
  return time > 0 && of > 0 ? time / of : undefined;
}
