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
    flags: /^monitor\.(writeToDB|writeInterval|user|password|identity|statsd.*|disableCollectClientIP)$/,
    isIdle: ({ monitor }) => monitor.disable,
    why: 'it has no effect while monitor.disable is true',
  },
];

/** The settings that are given and do nothing, or less than their names say, each with the reason. Defaults are not among them. */
export function idleSettings(
  settings: Settings,
  listing: readonly SettingLine[],
): readonly { readonly flag: string; readonly why: string }[] {
  return listing.flatMap(({ flag, source }) => {
    const row = source === 'default' ? undefined : rows.find(({ flags }) => flags.test(flag));
    return row?.isIdle(settings) === true ? [{ flag, why: row.why }] : [];
  });
}
