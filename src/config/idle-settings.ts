import type { Settings } from './adapter-settings.js';
import type { SettingLine } from './resolve.js';

/** Settings that do nothing in some state of others. */
interface IdleRow {
  readonly flags: RegExp;
  readonly isIdle: (settings: Settings) => boolean;
  readonly why: string;
}

const rows: readonly IdleRow[] = [
  { flags: /^debug$/, isIdle: () => true, why: 'it has no effect' },
  {
    flags: /^tmq\./,
    isIdle: () => true,
    why: 'it has no effect on the service; processes that consume topics read it, such as the load tool',
  },
  {
    flags: /^cors\.allow(Origins|Hosts)$/,
    isIdle: ({ cors }) => cors.allowAllOrigins,
    why: 'every page may call while cors.allowAllOrigins is true; it only lets the pages that it names use the first password of root',
  },
  {
    flags: /^database\.(urls|cluster|replication|caFile)$/,
    isIdle: ({ database }) => database.mode === 'embedded',
    why: 'it has no effect while database.mode is embedded',
  },
  {
    flags: /^monitor\.(writeToDB|writeInterval|user|password|identity|statsd.*|disableCollectClientIP)$/,
    isIdle: ({ monitor }) => monitor.disable,
    why: 'it has no effect while monitor.disable is true',
  },
];

/**
 * Switches that other settings of their group do not depend on: gRPC takes OpenTelemetry's metrics without otlp.enable.
 */
const partialSwitches: ReadonlySet<string> = new Set(['otlp.enable']);

/** Switches with another name than `<group>.enable`, by the setting that needs them. */
const switchesOf: ReadonlyMap<string, string> = new Map([['otlp.grpcPort', 'otlp.grpc']]);

/**
 * The settings that are given and do nothing, or less than their names say, each with the reason. Defaults are not
 * among them, and neither are settings of what an operator has switched off by name.
 */
export function idleSettings(
  settings: Settings,
  listing: readonly SettingLine[],
): readonly { readonly flag: string; readonly why: string }[] {
  const off = new Set(
    listing.flatMap(({ flag, value, source }) => (source === 'default' && value === 'false' ? [flag] : [])),
  );
  return listing.flatMap(({ flag, source }) => {
    if (source === 'default') return [];
    const row = rows.find(({ flags }) => flags.test(flag));
    if (row?.isIdle(settings) === true) return [{ flag, why: row.why }];
    const needed = switchesOf.get(flag) ?? `${flag.split('.', 1)[0]}.enable`;
    const isOff = off.has(needed) && !partialSwitches.has(needed);
    return isOff ? [{ flag, why: `it has no effect while ${needed} is false` }] : [];
  });
}
