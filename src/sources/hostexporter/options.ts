import { longestTimerMs, option, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import { storeRows, ttlRow } from '../support/option-rows.js';

/** The scraper of host-metric exporters. */
const hostexporterOptions = optionTable('hostexporter', 'Scraper of exporters (Prometheus)', [
  option.bool('hostexporter.enable', 'scrape exporters'),
  option.texts('hostexporter.urls', 'addresses of the exporters', { default: '[http://localhost:9100]' }),
  ...storeRows('hostexporter'),
  option.duration('hostexporter.gatherDuration', 'interval of the scrapes', {
    default: '5s',
    min: 1,
    max: longestTimerMs,
  }),
  option.duration('hostexporter.responseTimeout', 'timeout of a scrape', {
    default: '5s',
    min: 1,
    max: longestTimerMs,
  }),
  option.bool('hostexporter.insecureSkipVerify', 'skip the check of the TLS certificate', { default: 'true' }),
  option.text('hostexporter.caCertFile', 'file with the certificates of trusted authorities, PEM'),
  option.text('hostexporter.certFile', 'file with the client certificate'),
  option.text('hostexporter.keyFile', 'file with the key of the client certificate'),
  option.text('hostexporter.httpUsername', 'user name sent to the exporters'),
  option.secret('hostexporter.httpPassword', 'password sent to the exporters'),
  option.secret('hostexporter.httpBearerTokenString', 'bearer token sent to the exporters'),
  option.size('hostexporter.maxBodyBytes', 'maximum length of a scrape response', { default: '64MB', min: 1 }),
  option.int(
    'hostexporter.maxScrapes',
    'maximum number of concurrent scrapes; further exporters are skipped until the next interval',
    { default: '2000', min: 1 },
  ),
  ttlRow('hostexporter'),
]);

/** Settings of scraping; empty texts mean not set. */
export type HostexporterSettings = SettingsOf<typeof hostexporterOptions>;

/** Reads the settings of {@link hostexporterOptions}; enabled, it needs addresses it can fetch and whole key pairs. */
function readHostexporterSettings(reader: SettingReader): HostexporterSettings {
  const settings = reader.settings(hostexporterOptions);
  if (settings.enable) refuseUnusable(settings, reader);
  return settings;
}

function isScrapeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return protocol === 'unix:' ? pathname.length > 1 : /^https?:$/.test(protocol);
}

function refuseUnusable(settings: HostexporterSettings, reader: SettingReader): void {
  if (settings.urls.length === 0 || !settings.urls.every(isScrapeUrl)) {
    reader.refuse(
      'hostexporter.urls',
      'http://, https:// or unix:// addresses, at least one when hostexporter.enable is on',
    );
  }
  if ((settings.certFile === '') !== (settings.keyFile === '')) {
    const missing = settings.certFile === '' ? 'hostexporter.certFile' : 'hostexporter.keyFile';
    reader.refuse(missing, 'a path: hostexporter.certFile and hostexporter.keyFile go together');
  }
}

/** The table of the settings, and what reads them. */
export const hostexporterSettings = { table: hostexporterOptions, read: readHostexporterSettings } as const;
