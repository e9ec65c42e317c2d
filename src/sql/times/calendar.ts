/** A day of the proleptic Gregorian calendar. */
interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Days in a month (1 to 12) of a year. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29;
  return monthLengths[month - 1] ?? 0;
}

/**
 * Days from 1970-01-01 to a civil day. Years are counted from March so that the leap day comes last, in eras of
 * 400 years, which all have 146,097 days.
 */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

/** The civil day that lies `days` days after 1970-01-01; the inverse of {@link daysFromCivil}. */
export function civilFromDays(days: number): CivilDay {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  };
}

/**
 * The day, counted from 1970-01-01, that lies calendar months behind another; one that the month does not have becomes
 * its last.
 */
export function addMonthsToDay(day: number, months: number): number {
  const from = civilFromDays(day);
  const sum = from.year * 12 + from.month - 1 + months;
  const year = Math.floor(sum / 12);
  const month = sum - year * 12 + 1;
  return daysFromCivil(year, month, Math.min(from.day, daysInMonth(year, month)));
}
