/** The values of the setting `logLevel`, most severe first. */
export const logLevels = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'] as const;

/** Which entries a log keeps: those of this level and of the graver ones. */
export type LogLevel = (typeof logLevels)[number];
