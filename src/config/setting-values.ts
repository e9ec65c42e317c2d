import type { OptionRecord, OptionRow, OptionValue, SettingReader } from '../model/option.js';
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

  bool(flag: string): boolean {
    const { value } = this.#of(flag);
    if (value === undefined || typeof value === 'boolean') return value === true;
    throw mistaken(flag, 'bool');
  }

  number(flag: string): number {
    const value = this.optionalNumber(flag);
    if (value === undefined) throw mistaken(flag, 'number with a default');
    return value;
  }

  optionalNumber(flag: string): number | undefined {
    const { value } = this.#of(flag);
    if (value === undefined || typeof value === 'number') return value;
    throw mistaken(flag, 'number');
  }

  text(flag: string): string {
    const { value } = this.#of(flag);
    if (value === undefined || typeof value === 'string') return value ?? '';
    throw mistaken(flag, 'text');
  }

  texts(flag: string): readonly string[] {
    const { row, value } = this.#of(flag);
    if (row.type !== 'string-list' || (value !== undefined && typeof value !== 'object')) {
      throw mistaken(flag, 'list of texts');
    }
    return (value ?? []).filter((element) => typeof element === 'string');
  }

  numbers(flag: string): readonly number[] {
    const { row, value } = this.#of(flag);
    if (row.type !== 'int-list' || (value !== undefined && typeof value !== 'object')) {
      throw mistaken(flag, 'list of numbers');
    }
    return (value ?? []).filter((element) => typeof element === 'number');
  }

  records(flag: string): readonly OptionRecord[] {
    const { row, value } = this.#of(flag);
    if (row.type !== 'tables' || (value !== undefined && typeof value !== 'object'))
      throw mistaken(flag, 'list of tables');
    return (value ?? []).filter((element) => typeof element === 'object');
  }

  refusePart(flag: string, part: string, found: unknown, needed: string): void {
    const { row, origin, source } = this.#of(flag);
    if (source === 'command line') this.blamesCommandLine = true;
    const text =
      found === undefined ? 'nothing' : quotedText(row, typeof found === 'string' ? found : JSON.stringify(found));
    this.errors.push(refusal(`${flag}${part}`, text, origin, needed));
  }

  refuse(flag: string, needed: string): void {
    const { row, value, origin, source } = this.#of(flag);
    if (source === 'command line') this.blamesCommandLine = true;
    const found = row.type === 'secret' ? 'the value' : quotedText(row, printValue(row.type, value));
    this.errors.push(
      value === undefined ? `${flag} is not set; needed: ${needed}.` : refusal(flag, found, origin, needed),
    );
  }

  #of(flag: string): ResolvedSetting {
    const setting = this.#settings.get(flag);
    if (setting === undefined) throw new Error(`No option table has the flag ${flag}.`);
    return setting;
  }
}

function mistaken(flag: string, asked: string): Error {
  return new Error(`The option table of ${flag} does not make it a ${asked}.`);
}
