/**
 * Which class of trouble a fault belongs to; the HTTP server maps it to a status. `auth`: who calls is not known;
 * `forbidden`: who calls is known and may not call in this way.
 */
export type FaultKind = 'parameter' | 'syntax' | 'auth' | 'forbidden' | 'network' | 'resource' | 'database';

/**
 * An expected failure, as a value. `code` is the wire code of the dialect (decimal in JSON, below 65536),
 * `message` a sentence that names what was wrong and where. A fault never carries a secret.
 */
export interface Fault {
  readonly kind: FaultKind;
  readonly code: number;
  readonly message: string;
  readonly cause?: unknown;
  /** True when there is no room on a disk of the database. */
  readonly isDiskFull?: true;
  /** Where in the statement the mistake is, for those who know its text. */
  readonly place?: Place;
}

/** A place in the text of a statement; `word` is what stands there, or begins there, in any case of letters. */
export interface Place {
  /** Characters before it. */
  readonly start: number;
  readonly word: string;
}

/** Wire codes of the dialect and of the adapter: the only place where they are written. docs/errors.md lists them. */
export const Codes = {
  loginFailure: 0x0003,
  networkUnavailable: 0x000b,
  notSupported: 0x0100,
  invalidParameters: 0x0118,
  decimalOverflow: 0x013d,
  invalidOperation: 0x0200,
  queryTerminated: 0x020f,
  insertSyntax: 0x0216,
  statementTooLong: 0x0219,
  lineSyntax: 0x021b,
  valueOutOfRange: 0x0224,
  queryKilled: 0x022d,
  insufficientPrivilege: 0x0303,
  userDisabled: 0x0315,
  userAlreadyExists: 0x0350,
  userNotExist: 0x0351,
  invalidUserFormat: 0x0352,
  invalidPasswordFormat: 0x0353,
  tooManyUsers: 0x0355,
  invalidAlterOperation: 0x0356,
  authenticationFailure: 0x0357,
  stableAlreadyExists: 0x0360,
  stableNotExist: 0x0361,
  tagAlreadyExists: 0x0369,
  tagNotExist: 0x036a,
  columnAlreadyExists: 0x036b,
  columnNotExist: 0x036c,
  databaseAlreadyExists: 0x0381,
  databaseNotExist: 0x0388,
  fieldUsedByTopic: 0x03c4,
  singleStable: 0x03c5,
  fieldUsedByTsma: 0x03c8,
  topicAlreadyExists: 0x03e0,
  topicNotExist: 0x03e1,
  consumerGroupNotExist: 0x03e8,
  offsetNotExist: 0x03e9,
  offsetOutOfRange: 0x4007,
  vgroupNotAssigned: 0x4008,
  topicNotSubscribed: 0x4009,
  topicSubscribed: 0x03eb,
  consumerGroupUsed: 0x03ec,
  topicDropFirst: 0x03ed,
  streamAlreadyExists: 0x03f0,
  streamNotExist: 0x03f1,
  smaAlreadyExists: 0x0480,
  smaNotExist: 0x0481,
  indexAlreadyExists: 0x0483,
  indexNotExist: 0x0484,
  tsmaIsBase: 0x0485,
  viewAlreadyExists: 0x04a0,
  viewNotExist: 0x04a1,
  tableAlreadyExists: 0x0603,
  timestampOutOfRange: 0x060b,
  tableInOtherStable: 0x061d,
  tooManyWindows: 0x070a,
  duplicateInWindow: 0x073e,
  noAuthInfo: 0x1105,
  emptyRequest: 0x1106,
  noSql: 0x1107,
  generateToken: 0x110a,
  invalidContentLength: 0x1121,
  invalidAuthType: 0x1122,
  invalidBasicAuth: 0x1124,
  invalidCustomAuth: 0x1125,
  eventNotExist: 0x1201,
  eventResolved: 0x1202,
  documentNotExist: 0x1203,
  documentChanged: 0x1204,
  syntaxError: 0x2600,
  incompleteStatement: 0x2601,
  invalidColumnName: 0x2602,
  tableNotExist: 0x2603,
  ambiguousColumn: 0x2604,
  invalidValueType: 0x2605,
  aggregateNotAllowed: 0x2608,
  orderByPosition: 0x2609,
  notGroupByExpression: 0x260a,
  notSelectedExpression: 0x260b,
  notSingleGroup: 0x260c,
  tagsNotMatched: 0x260d,
  invalidTagName: 0x260e,
  nameTooLong: 0x2610,
  passwordTooShort: 0x2611,
  intervalTooSmall: 0x2615,
  databaseNotSpecified: 0x2616,
  invalidIdentifier: 0x2617,
  stableNotInDatabase: 0x2618,
  invalidDatabaseOption: 0x2619,
  invalidTableOption: 0x261a,
  groupByWithWindow: 0x2624,
  nestedAggregate: 0x2627,
  stateType: 0x2628,
  stateOnTag: 0x2629,
  sessionGap: 0x262b,
  sessionColumn: 0x262c,
  offsetNegative: 0x262d,
  offsetTooLong: 0x262f,
  slidingTooLarge: 0x2631,
  slidingTooSmall: 0x2632,
  oneJsonTag: 0x2633,
  unionColumnCount: 0x2634,
  incorrectTimestamp: 0x2635,
  negativeOffset: 0x2637,
  slimitNotAllowed: 0x2638,
  invalidTopicQuery: 0x2639,
  dropStableInBatch: 0x263a,
  fillTimeRange: 0x263b,
  duplicatedColumns: 0x263c,
  tagsTooLong: 0x263d,
  rowTooLong: 0x263e,
  illegalColumnCount: 0x263f,
  tooManyTableColumns: 0x2640,
  firstColumnTimestamp: 0x2641,
  invalidColumnLength: 0x2642,
  invalidTagCount: 0x2643,
  permissionDenied: 0x2644,
  invalidStreamQuery: 0x2645,
  invalidTimeColumn: 0x2646,
  invalidTimeline: 0x2647,
  invalidAlterTable: 0x2649,
  primaryTimestampDrop: 0x264a,
  modifyOnlyWidens: 0x264b,
  invalidTbname: 0x264c,
  invalidFunctionName: 0x264d,
  commentTooLong: 0x264e,
  functionMixed: 0x264f,
  windowNeedsTimestamp: 0x2650,
  noColumnsToDrop: 0x2651,
  onlyTagJson: 0x2652,
  valueTooLong: 0x2653,
  deleteTimeRange: 0x2655,
  notInFill: 0x2657,
  windowPseudoColumn: 0x2658,
  notInWindow: 0x2659,
  notInGroup: 0x265b,
  interpClauses: 0x265d,
  onlySingleTable: 0x265f,
  tableInfo: 0x2662,
  notUniqueTable: 0x2663,
  joinNeedsTime: 0x2664,
  tagsOfNormalTable: 0x2665,
  invalidExpression: 0x2667,
  secondColumnKey: 0x2678,
  keyType: 0x2679,
  keyIsFixed: 0x267a,
  keyIsNull: 0x267b,
  keyIsMissing: 0x267c,
  invalidTimeZone: 0x26b2,
  expectTimeEqual: 0x2701,
  crossJoin: 0x2702,
  functionParameterCount: 0x2801,
  functionParameterType: 0x2802,
  functionParameterValue: 0x2803,
  duplicateTimestamps: 0x2805,
  timestampFormat: 0x2806,
  timestampValue: 0x2807,
  timestampFormatUnsupported: 0x2808,
  schemalessPrecision: 0x3001,
  schemalessData: 0x3002,
  schemalessTypeConflict: 0x3004,
  tsmaInterval: 0x3107,
  tsmaArgument: 0x3108,
  tsmaFunction: 0x3109,
  free: 0xffff,
} as const;

/** Makes a fault; see {@link Fault}. */
export function fault(kind: FaultKind, code: number, message: string, cause?: unknown): Fault {
  return cause === undefined ? { kind, code, message } : { kind, code, message, cause };
}

/** A database that is not there. The message has the name, so that the reader of a log knows what to create. */
export function missingDatabase(name: string): Fault {
  return fault('database', Codes.databaseNotExist, `Database not exist: ${name}`);
}

/**
 * True when it may pass by itself: the engine cannot be reached, or has no room. What it refuses for another reason it
 * refuses again.
 */
export function isTransient({ kind }: Fault): boolean {
  return kind === 'network' || kind === 'resource';
}

/** Carries a fault through code that can only throw; caught at the edge of the module that threw it. */
export class FaultError extends Error {
  readonly fault: Fault;
  constructor(value: Fault) {
    super(value.message);
    this.name = 'FaultError';
    this.fault = value;
  }
}

/**
 * The fault that an error stands for; one of the program's own is an internal error of the database, with the error as
 * its cause.
 */
export function faultOf(error: unknown): Fault {
  return error instanceof FaultError ? error.fault : fault('database', Codes.free, 'Internal error', error);
}

/** The fault of an error that was expected; any other one is thrown on. */
export function expectedFault(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  throw error;
}

/** A caught value in a few words: the message of an error, or its name where the system gave it no message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** True for an error that carries a fault which may pass, see {@link isTransient}. */
export function isTransientError(error: unknown): error is FaultError {
  return error instanceof FaultError && isTransient(error.fault);
}
