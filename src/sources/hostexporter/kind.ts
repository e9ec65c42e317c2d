import { readSettingFile } from '../../async/setting-file.js';
import { type SourceKind, targetOf } from '../kind.js';
import { type HostexporterSettings, hostexporterSettings } from './options.js';
import { HostexporterSource, type ScrapeCertificates, shownAddress } from './source.js';

/** Exporters that are scraped. */
export const hostexporter: SourceKind<HostexporterSettings, { readonly source: HostexporterSource }> = {
  name: 'hostexporter',
  options: hostexporterSettings,
  create(settings, { gate, log, scraped, piecesOf }) {
    const authorization = authorizationOf(settings);
    const target = targetOf(settings);
    const options = { ...settings, ...certificatesOf(settings), authorization, target, scraped, piecesOf };
    return { source: new HostexporterSource(options, gate, log) };
  },
  targets: ({ urls }) => urls.map(shownAddress),
  metrics: ({ source }) => ({
    adapter_hostexporter_scrapes: {
      isCounter: true,
      help: 'Scrapes that were begun.',
      read: () => source.counts.scrapes,
    },
    adapter_hostexporter_failed_scrapes: {
      isCounter: true,
      help: 'Scrapes that failed.',
      read: () => source.counts.failedScrapes,
    },
    adapter_hostexporter_skipped_scrapes: {
      isCounter: true,
      help: 'Scrapes left out: the one before, or too many, were going on, or memory was short.',
      read: () => source.counts.skippedScrapes,
    },
  }),
};

function certificatesOf({ caCertFile, certFile, keyFile }: HostexporterSettings): ScrapeCertificates {
  const read = (flag: string, path: string): Buffer => readSettingFile(`hostexporter.${flag}`, path);
  return {
    ...(caCertFile === '' ? {} : { ca: read('caCertFile', caCertFile) }),
    ...(certFile === '' ? {} : { cert: read('certFile', certFile) }),
    ...(keyFile === '' ? {} : { key: read('keyFile', keyFile) }),
  };
}

/** A bearer token is stronger than a name and password. */
function authorizationOf({ httpBearerTokenString, httpUsername, httpPassword }: HostexporterSettings): string {
  if (httpBearerTokenString !== '') return `Bearer ${httpBearerTokenString}`;
  if (httpUsername === '') return '';
  return `Basic ${Buffer.from(`${httpUsername}:${httpPassword}`).toString('base64')}`;
}
