import { longestTimerMs, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import { storeRows, ttlRow } from '../support/option-rows.js';

/** The scraper of host-metric exporters. */
const hostexporterOptions = optionTable({
  group: 'hostexporter',
  title: 'Scraper of exporters (Prometheus)',
  rows: [
    { flag: 'hostexporter.enable', type: 'bool', help: 'scrape host-metric exporters' },
    {
      flag: 'hostexporter.urls',
      type: 'string-list',
      default: '[http://localhost:9100]',
      help: 'addresses of the exporters',
    },
    ...storeRows('hostexporter'),
    {
      flag: 'hostexporter.gatherDuration',
      type: 'duration',
      default: '5s',
      help: 'interval of the scrapes',
      min: 1,
      max: longestTimerMs,
    },
    {
      flag: 'hostexporter.responseTimeout',
      type: 'duration',
      default: '5s',
      help: 'longest time until an exporter answers',
      min: 1,
      max: longestTimerMs,
    },
    {
      flag: 'hostexporter.insecureSkipVerify',
      type: 'bool',
      default: 'true',
      help: 'skip the check of the TLS certificate',
    },
    {
      flag: 'hostexporter.caCertFile',
      type: 'string',
      help: 'file with the certificates of the authorities that are trusted',
    },
    { flag: 'hostexporter.certFile', type: 'string', help: 'file with the client certificate' },
    { flag: 'hostexporter.keyFile', type: 'string', help: 'file with the key of the client certificate' },
    { flag: 'hostexporter.httpUsername', type: 'string', help: 'user name sent to the exporters' },
    { flag: 'hostexporter.httpPassword', type: 'secret', help: 'password sent to the exporters' },
    { flag: 'hostexporter.httpBearerTokenString', type: 'secret', help: 'bearer token sent to the exporters' },
    {
      flag: 'hostexporter.maxBodyBytes',
      type: 'size',
      default: '64MB',
      help: 'longest answer of an exporter that is read',
      min: 1,
    },
    {
      flag: 'hostexporter.maxScrapes',
      type: 'int',
      default: '2000',
      help: 'most exporters that are scraped at the same time; further ones are skipped until the next interval',
      min: 1,
    },
    ttlRow('hostexporter'),
  ],
});

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
