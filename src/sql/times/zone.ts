const secondsPerDay = 86400;
/** Limits of the time that Intl can format, in seconds. */
const maxSeconds = 8.64e12 - secondsPerDay;
const someJanuary = Date.UTC(2024, 0, 15) / 1000;
const someJuly = Date.UTC(2024, 6, 15) / 1000;
/** Years of the engine's calendar in which zones have gone over the date line. */
const firstCalendarYear = 1900;
const lastCalendarYear = 2030;
/** A change of the offset by so much, in seconds, is no change between summer and winter. */
const leastCrossing = 20 * 3600;
const maxCachedDays = 20000;
const maxCachedZones = 1024;

/** What stands before `+hh:mm:ss` where the engine names a distance to the east of UTC. */
export const fixedZone = 'Fixed/UTC';

/** The offsets of one time zone: what local clocks there show, in seconds east of UTC. */
export class ZoneOffsets {
  readonly #fixed: number | undefined;
  readonly #format: Intl.DateTimeFormat | undefined;
  /** Offset at the UTC midnight a day begins with, by day since 1970-01-01. */
  readonly #midnights = new Map<number, number>();
  /** Second at which the offset changes, by the UTC day it happens in. */
  readonly #changes = new Map<number, number>();
  #skippedDay: { readonly end: number | undefined } | undefined;

  /** `zone` is an IANA name, `UTC`, or a fixed offset such as `+08:00`; anything else is a RangeError. */
  constructor(zone: string) {
    const distance = zone.startsWith(fixedZone) ? zone.slice(fixedZone.length) : zone;
    this.#fixed = /^(utc|gmt|z)$/i.test(zone) ? 0 : offsetSeconds(distance);
    this.#format =
      this.#fixed === undefined
        ? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
        : undefined;
  }

  /** Seconds east of UTC at an instant, given in Unix seconds. */
  offsetAt(seconds: number): number {
    if (this.#fixed !== undefined) return this.#fixed;
    const instant = Math.min(Math.max(seconds, -maxSeconds), maxSeconds);
    const day = Math.floor(instant / secondsPerDay);
    const before = this.#atMidnight(day);
    const after = this.#atMidnight(day + 1);
    if (before === after) return before;
    return instant < this.#changeWithin(day, before) ? before : after;
  }

  /** True where the offset is always the same. */
  get isFixed(): boolean {
    return this.#fixed !== undefined;
  }

  /**
   * The instant, in Unix seconds, behind the day that the zone left out when it went over the date line to the west;
   * none has done so twice. Undefined for all others.
   */
  get skippedDay(): number | undefined {
    this.#skippedDay ??= { end: this.#fixed === undefined ? this.#endOfSkippedDay() : undefined };
    return this.#skippedDay.end;
  }

  /** Seconds east of UTC in winter, when no clock is put forward. */
  get standard(): number {
    return Math.min(this.offsetAt(someJanuary), this.offsetAt(someJuly));
  }

  /**
   * Unix seconds of a local time, given as the seconds since 1970-01-01T00:00:00 on the local clock. A time that the
   * clock shows twice is the first of the two; one that it skips is read with the offset that held before the jump.
   */
  toUtc(localSeconds: number): number {
    if (this.#fixed !== undefined) return localSeconds - this.#fixed;
    const before = this.offsetAt(localSeconds - secondsPerDay);
    const early = localSeconds - before;
    if (this.offsetAt(early) === before) return early;
    const after = this.offsetAt(localSeconds + secondsPerDay);
    const late = localSeconds - after;
    return this.offsetAt(late) === after ? late : early;
  }

  /** True when the offset is the same over the local day that begins at `localMidnight` seconds and its neighbours. */
  isSteady(localMidnight: number): boolean {
    return (
      this.#fixed !== undefined ||
      this.offsetAt(localMidnight - secondsPerDay) === this.offsetAt(localMidnight + 2 * secondsPerDay)
    );
  }

  #endOfSkippedDay(): number | undefined {
    for (let year = firstCalendarYear; year < lastCalendarYear; year++) {
      let [low, high] = [Date.UTC(year) / 1000, Date.UTC(year + 1) / 1000];
      const before = this.#offsetAt(low);
      if (this.#offsetAt(high) - before < leastCrossing) continue;
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (this.#offsetAt(middle) - before < leastCrossing) low = middle;
        else high = middle;
      }
      return high;
    }
    return undefined;
  }

  #atMidnight(day: number): number {
    const known = this.#midnights.get(day);
    if (known !== undefined) return known;
    if (this.#midnights.size >= maxCachedDays) this.#midnights.clear();
    const offset = this.#offsetAt(day * secondsPerDay);
    this.#midnights.set(day, offset);
    return offset;
  }

  #changeWithin(day: number, before: number): number {
    const known = this.#changes.get(day);
    if (known !== undefined) return known;
    let low = day * secondsPerDay;
    let high = low + secondsPerDay;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    if (this.#changes.size >= maxCachedDays) this.#changes.clear();
    this.#changes.set(day, high);
    return high;
  }

  #offsetAt(seconds: number): number {
    const parts = this.#format?.formatToParts(seconds * 1000) ?? [];
    const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
    return offsetSeconds(name.slice('GMT'.length)) ?? 0;
  }
}

/** Seconds of `+H[H][:MM[:SS]]` or `-…`; undefined for other text. */
function offsetSeconds(text: string): number | undefined {
  const match = /^([+-])(\d{1,2})(?::?(\d{2}))?(?::(\d{2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes = '0', seconds = '0'] = match;
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -total : total;
}

const zones = new Map<string, ZoneOffsets>();

/** The offsets of a zone, shared by all callers with the same name; RangeError when there is no such zone. */
export function zoneOffsets(zone: string): ZoneOffsets {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  const offsets = new ZoneOffsets(zone);
  if (zones.size >= maxCachedZones) zones.clear();
  zones.set(zone, offsets);
  return offsets;
}
