import {
  type OptionRow,
  type OptionTable,
  type OptionType,
  type OptionValue,
  type SettingReader,
  type SettingsOf,
  settingName,
} from '../model/option.js';
import { quotedText, refusal } from './refusal.js';
import { printValue } from './values.js';

/** Where a value came from. */
export type SettingSource = 'command line' | 'environment' | 'file' | 'default';

/** A setting with the value that won; `origin` names the exact place for people. */
export interface ResolvedSetting {
  readonly row: OptionRow;
  readonly value: OptionValue;
  readonly source: SettingSource;
  readonly origin: string;
}

/** Typed access to resolved settings; {@link SettingValues.errors} collects what readers refused. */
export class SettingValues implements SettingReader {
  readonly errors: string[] = [];
  /** True when a value of the command line is among those refused. */
  blamesCommandLine = false;
  readonly #settings: ReadonlyMap<string, ResolvedSetting>;

  constructor(settings: readonly ResolvedSetting[]) {
    this.#settings = new Map(settings.map((setting) => [setting.row.flag, setting]));
  }

  settings<T extends OptionTable>(table: T): SettingsOf<T>;
  settings(table: OptionTable): Readonly<Record<string, OptionValue>> {
    return Object.fromEntries(table.rows.map((row) => [settingName(row, table), this.#valueOf(row)]));
  }

  #valueOf({ flag, type, unset }: OptionRow): OptionValue {
    return this.#of(flag).value ?? whenNotSet[type] ?? unset;
  }

  refusePart(flag: string, part: string, value: unknown, needed: string): void {
    const { row, origin, source } = this.#of(flag);
    if (source === 'command line') this.blamesCommandLine = true;
    const text =
      value === undefined ? 'nothing' : quotedText(row, typeof value === 'string' ? value : JSON.stringify(value));
    this.errors.push(refusal(`${flag}${part}`, text, origin, needed));
  }

  refuse(flag: string, needed: string): void {
    const { row, value, origin, source } = this.#of(flag);
    if (source === 'command line') this.blamesCommandLine = true;
    const shown = row.type === 'secret' ? 'the value' : quotedText(row, printValue(row.type, value));
    this.errors.push(
      value === undefined ? `${flag} is not set; needed: ${needed}.` : refusal(flag, shown, origin, needed),
    );
  }

  #of(flag: string): ResolvedSetting {
    const setting = this.#settings.get(flag);
    if (setting === undefined) throw new Error(`No option table has the flag ${flag}.`);
    return setting;
  }
}

/** Meaning of a setting without a value; a number that is not set is undefined. */
const whenNotSet: Readonly<Partial<Record<OptionType, OptionValue>>> = {
  bool: false,
  string: '',
  secret: '',
  'string-list': [],
  'int-list': [],
  tables: [],
};
