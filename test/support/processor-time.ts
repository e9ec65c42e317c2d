import { readFileSync } from 'node:fs';

/** Milliseconds of processor time this process has used: unlike the clock, it stands still while others work. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds for which the main thread of a process was ready and no processor was free; 0 of one that has ended. */
export function waitedForProcessorMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
