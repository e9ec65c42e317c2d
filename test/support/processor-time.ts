/** Milliseconds of processor time this process has used: unlike the clock, it stands still while others work. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
