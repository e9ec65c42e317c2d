import { Codes, type Fault, fault } from './fault.js';

/** Refusals that are worded alike wherever they are met, by their codes. */
export const refusals = {
  tableNotExist: fault('database', Codes.tableNotExist, 'Table does not exist'),
  stableNotExist: fault('database', Codes.stableNotExist, 'STable not exist'),
  stableNotInDatabase: fault('database', Codes.stableNotInDatabase, 'Corresponding super table not in this db'),
  tableInOtherStable: fault('database', Codes.tableInOtherStable, 'Table already exists in other stables'),
  tableAlreadyExists: fault('database', Codes.tableAlreadyExists, 'Table already exists'),
  invalidAlterTable: fault('database', Codes.invalidAlterTable, 'Invalid alter table statement'),
  columnNotExist: fault('database', Codes.columnNotExist, 'Column does not exist'),
  duplicatedColumns: fault('syntax', Codes.duplicatedColumns, 'Duplicated column names'),
  tagsNotMatched: fault('syntax', Codes.tagsNotMatched, 'Tags number not matched'),
  oneJsonTag: fault('syntax', Codes.oneJsonTag, 'Only one tag if there is a json tag'),
  commentTooLong: fault('syntax', Codes.commentTooLong, 'Comment too long'),
  tooManyTableColumns: fault('syntax', Codes.tooManyTableColumns, 'Too many columns'),
  illegalColumnCount: fault('syntax', Codes.illegalColumnCount, 'Illegal number of columns'),
  databaseNotSpecified: fault('database', Codes.databaseNotSpecified, 'Database not specified'),
  databaseAlreadyExists: fault('database', Codes.databaseAlreadyExists, 'Database already exists'),
  viewNotExist: fault('database', Codes.viewNotExist, 'View not exist'),
  smaNotExist: fault('database', Codes.smaNotExist, 'SMA does not exist'),
  indexAlreadyExists: fault('database', Codes.indexAlreadyExists, 'index already exists'),
  indexNotExist: fault('database', Codes.indexNotExist, 'index not exist'),
  streamNotExist: fault('database', Codes.streamNotExist, 'Stream not exist'),
  streamAlreadyExists: fault('database', Codes.streamAlreadyExists, 'Stream already exists'),
  topicNotExist: fault('database', Codes.topicNotExist, 'Topic not exist'),
  userNotExist: fault('auth', Codes.userNotExist, 'Invalid user'),
  permissionDenied: fault('database', Codes.permissionDenied, 'Permission denied or target object not exist'),
  nameTooLong: fault('syntax', Codes.nameTooLong, 'Name or password too long'),
  statementTooLong: fault('syntax', Codes.statementTooLong, 'SQL statement too long'),
} as const;

/** A refusal with the name of what it is about. */
export function named(refusal: Fault, name: string): Fault {
  return { ...refusal, message: `${refusal.message}: ${name}` };
}

/** For a table that a statement names. */
export function noTable(name: string): Fault {
  return named(refusals.tableNotExist, name);
}

/** For a super table that a statement names: there is none, or a table of another kind has the name. */
export function noSuperTable(name: string): Fault {
  return named(refusals.stableNotExist, name);
}

/** For what the service cannot do. */
export function notSupported(what: string): Fault {
  return fault('database', Codes.notSupported, `Operation not supported: ${what}`);
}

/** For an option of a statement; `what` says what it may be. */
export function invalidParameters(what: string): Fault {
  return fault('database', Codes.invalidParameters, `Invalid parameters: ${what}`);
}
