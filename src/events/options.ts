import { longestTimerMs, optionTable, type SettingReader, type SettingsOf } from '../model/option.js';
import { readRules } from './read-rules.js';
import type { Rule } from './rule.js';

/** Settings of events; the rules themselves are in the settings file. */
export const eventsOptions = optionTable({
  group: 'events',
  title: 'Events',
  rows: [
    {
      flag: 'events.retention',
      type: 'duration',
      default: '2160h0m0s',
      help: 'how long resolved events are kept; 0s is for ever',
      min: 0,
    },
    {
      flag: 'events.repeatInterval',
      type: 'duration',
      default: '10s',
      help: 'how often an open event is updated while its condition holds',
      min: 100,
      max: longestTimerMs,
    },
    {
      flag: 'events.maxRowAge',
      type: 'duration',
      default: '1h0m0s',
      help: 'rules ignore rows whose time is farther from now than this',
      min: 1000,
    },
    {
      flag: 'events.maxSeries',
      type: 'int',
      default: '100000',
      help: 'most open events of one rule; further series make a warning in the log instead',
      min: 1,
      max: 10_000_000,
    },
    {
      flag: 'events.maxWaiting',
      type: 'int',
      default: '10000',
      help: 'most events kept in memory while the database is away; further ones are lost and logged',
      min: 1,
      max: 1_000_000,
    },
    {
      flag: 'events.system',
      type: 'bool',
      default: 'true',
      help: 'make events of the state of the service: memory, database, scrape targets, failing writes',
    },
    {
      flag: 'events.writesFailing',
      type: 'duration',
      default: '1m0s',
      help: 'writes that are refused or dropped for this long make an event',
      named: 'failingMs',
      min: 0,
      max: longestTimerMs,
    },
    {
      flag: 'events.rules',
      type: 'tables',
      help: 'rules that make events; in the file one [[events.rules]] each, after the other keys of the section; see docs/events.md',
    },
  ],
});

/** Settings of events: what they are made of, and how long they are kept. */
export type EventsSettings = Omit<SettingsOf<typeof eventsOptions>, 'rules'> & { readonly rules: readonly Rule[] };

/** Reads the settings of {@link eventsOptions}, and refuses rules that cannot work. */
export function readEventsSettings(reader: SettingReader): EventsSettings {
  const settings = reader.settings(eventsOptions);
  return { ...settings, rules: readRules('events.rules', settings.rules, reader) };
}
