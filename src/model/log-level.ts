/** The level names of the specification ("Configuration parameters", General), most severe first. */
export const logLevels = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof logLevels)[number];
