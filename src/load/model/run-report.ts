/** Beginning of the reports of every kind of load run. Times are Unix milliseconds. */
export interface RunReport {
  /** The tool's version. */
  readonly version: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'completed' | 'interrupted' | 'failed';
  /** Why the run failed; undefined when it did not. */
  readonly failure: string | undefined;
  /** Versions and machine, by name. */
  readonly environment: readonly LoadSetting[];
  /** Settings in effect: name and value of each, secrets masked already. */
  readonly settings: readonly LoadSetting[];
}

/** A setting of a run, as its report shows it. */
export interface LoadSetting {
  readonly name: string;
  readonly value: string;
}

/** Values by their names as a list, in the same order. */
export function settingList(values: Readonly<Record<string, string | number | boolean>>): LoadSetting[] {
  return Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
}

/** How many there were per second; 0 where no time has passed. */
export function perSecond(count: number, seconds: number): number {
  return seconds > 0 ? count / seconds : 0;
}
