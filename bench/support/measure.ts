import { readFileSync } from 'node:fs';
import { type BenchService, usage } from './service.js';

/** The process of the engine, a child of the service. */
export function engineOf({ process: { pid = 0 } }: BenchService): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

/** Processor time that the adapter and the engine have taken so far, in ms. */
export function spentMs(service: BenchService): readonly [adapter: number, engine: number] {
  const [adapter, engine] = [service.process.pid ?? 0, engineOf(service)].map((pid) => usage(pid).cpuSeconds * 1000);
  return [adapter!, engine!];
}

/** The median and the 99th percentile of times in ms, which are sorted here. */
export function quantiles(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
