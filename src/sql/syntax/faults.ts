import { Codes, FaultError, fault } from '../../model/fault.js';

const maxShownCharacters = 192;

/** A value that does not fit its column or tag; `name` as stored. */
export function valueTooLong(name: string): FaultError {
  return new FaultError(fault('syntax', Codes.valueTooLong, `Value too long for column/tag: ${name}`));
}

/** A DECIMAL with more digits than its type; `name` is the function that gives it. */
export function decimalOverflow(name?: string): FaultError {
  const text = name === undefined ? '' : `: ${name} has more digits than its type`;
  return new FaultError(fault('syntax', Codes.decimalOverflow, `Decimal value overflow${text}`));
}

/** A primary time that is older than `KEEP` of the database, or too far in the future. */
export function timestampOutOfRange(): FaultError {
  return new FaultError(fault('syntax', Codes.timestampOutOfRange, 'Timestamp data out of range'));
}

/** A statement that is never supported; `message` says why. */
export function invalidOperation(message: string): FaultError {
  return new FaultError(fault('syntax', Codes.invalidOperation, message));
}

/** The row has no primary time. */
export function primaryTimeNull(): FaultError {
  return invalidOperation('primary timestamp column can not be null');
}

/** Rows leave out the column that is part of the key. */
export function keyIsMissing(name: string): FaultError {
  return new FaultError(fault('syntax', Codes.keyIsMissing, `Primary key column should not be none: ${name}`));
}

/** A row has NULL for the column that is part of the key. */
export function keyIsNull(name: string): FaultError {
  return new FaultError(fault('syntax', Codes.keyIsNull, `Primary key column should not be null: ${name}`));
}

/** A column list that names what the table does not have. */
export function invalidColumnName(name: string): FaultError {
  return new FaultError(fault('syntax', Codes.invalidColumnName, `Invalid column name: ${name}`));
}

/** A name that no object may have: empty, too long or with a character that is not allowed. */
export function invalidIdentifier(name: string): FaultError {
  const shown = Array.from(name.slice(0, maxShownCharacters * 2))
    .slice(0, maxShownCharacters)
    .join('');
  return new FaultError(fault('syntax', Codes.invalidIdentifier, `Invalid identifier name: ${shown}`));
}
