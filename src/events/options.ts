import { longestTimerMs, option, optionTable, type SettingReader, type SettingsOf } from '../model/option.js';
import { readRules } from './read-rules.js';
import type { Rule } from './rule.js';

/** Settings of events; the rules themselves are in the settings file. */
export const eventsOptions = optionTable('events', 'Events', [
  option.duration('events.retention', 'retention of resolved events; 0s is unlimited', {
    default: '2160h0m0s',
    min: 0,
  }),
  option.duration('events.repeatInterval', 'how often an open event is updated while its condition holds', {
    default: '10s',
    min: 100,
    max: longestTimerMs,
  }),
  option.duration('events.maxRowAge', 'rules ignore rows whose time is farther from now than this', {
    default: '1h0m0s',
    min: 1000,
  }),
  option.int(
    'events.maxSeries',
    'maximum number of open events of one rule; further series cause a warning in the log instead',
    {
      default: '100000',
      min: 1,
      max: 10_000_000,
    },
  ),
  option.int(
    'events.maxWaiting',
    'maximum number of events in memory while the database is unavailable; further ones are lost and logged',
    { default: '10000', min: 1, max: 1_000_000 },
  ),
  option.bool(
    'events.system',
    'open events for the state of the service: memory, database, scrape targets, failing writes',
    { default: 'true' },
  ),
  option.duration('events.writesFailing', 'writes that are refused or dropped for this long open an event', {
    default: '1m0s',
    named: 'failingMs',
    min: 0,
    max: longestTimerMs,
  }),
  option.tables(
    'events.rules',
    'rules that open events; in the file one [[events.rules]] each, after the other keys of the section; see docs/events.md',
  ),
]);

/** Settings of events: what they are made of, and how long they are kept. */
export type EventsSettings = Omit<SettingsOf<typeof eventsOptions>, 'rules'> & { readonly rules: readonly Rule[] };

/** Reads the settings of {@link eventsOptions}, and refuses rules that cannot work. */
export function readEventsSettings(reader: SettingReader): EventsSettings {
  const settings = reader.settings(eventsOptions);
  return { ...settings, rules: readRules('events.rules', settings.rules, reader) };
}
