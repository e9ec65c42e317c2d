import { Codes, type Fault, type FaultKind, isTransient } from '../../model/fault.js';

/** A kind of error, and its status with and without `httpCodeServerError`. */
interface StatusRow {
  readonly condition: string;
  readonly codes: readonly number[];
  readonly kinds: readonly FaultKind[];
  /** Status while `httpCodeServerError` is false. */
  readonly plain: number;
  /** Status while `httpCodeServerError` is true. */
  readonly mapped: number;
}

/**
 * The status of every error. Codes are compared in all rows before kinds are, because a code
 * says more: an unknown table (0x2603) found by the parser is "any other call error" and not a parsing error.
 */
const statusTable: readonly StatusRow[] = [
  {
    condition: 'authentication error',
    codes: [
      Codes.userAlreadyExists,
      Codes.userNotExist,
      Codes.invalidUserFormat,
      Codes.invalidPasswordFormat,
      Codes.tooManyUsers,
      Codes.invalidAlterOperation,
      Codes.authenticationFailure,
    ],
    kinds: ['auth'],
    plain: 401,
    mapped: 401,
  },
  { condition: 'client not allowed', codes: [], kinds: ['forbidden'], plain: 403, mapped: 403 },
  {
    condition: 'call parameter parsing error',
    codes: [
      Codes.insertSyntax,
      Codes.lineSyntax,
      Codes.syntaxError,
      Codes.incompleteStatement,
      Codes.timestampOutOfRange,
      Codes.valueOutOfRange,
      Codes.fillTimeRange,
    ],
    kinds: [],
    plain: 200,
    mapped: 400,
  },
  {
    condition: 'network unavailable',
    codes: [Codes.networkUnavailable],
    kinds: ['network'],
    plain: 200,
    mapped: 502,
  },
  { condition: 'URL parameter error', codes: [], kinds: ['parameter'], plain: 400, mapped: 400 },
  { condition: 'insufficient system resources', codes: [], kinds: ['resource'], plain: 503, mapped: 503 },
  { condition: 'any other call error', codes: [], kinds: ['syntax', 'database'], plain: 200, mapped: 500 },
];

/** HTTP status of a fault on the SQL routes. `mapped` is the setting `httpCodeServerError`. */
export function httpStatus(fault: Fault, mapped: boolean): number {
  const row =
    statusTable.find((candidate) => candidate.codes.includes(fault.code)) ??
    statusTable.find((candidate) => candidate.kinds.includes(fault.kind));
  if (row === undefined) return mapped ? 500 : 200;
  return mapped ? row.mapped : row.plain;
}

/** Codes that blame the data, whatever kind of fault carries them. */
const dataCodes: readonly number[] = [
  Codes.lineSyntax,
  Codes.schemalessPrecision,
  Codes.schemalessData,
  Codes.schemalessTypeConflict,
  Codes.valueOutOfRange,
  Codes.timestampOutOfRange,
  Codes.duplicatedColumns,
];

/** Codes whose status says what happened, whatever kind of fault carries them. */
const statusOfCode: ReadonlyMap<number, number> = new Map([
  // A known user lacks a right: senders shall neither log in nor try again.
  [Codes.insufficientPrivilege, 403],
  [Codes.permissionDenied, 403],
  [Codes.databaseNotExist, 404],
  [Codes.eventNotExist, 404],
  [Codes.eventResolved, 409],
  [Codes.documentNotExist, 404],
  [Codes.documentChanged, 409],
]);

/** The status of a refusal where the protocol has one for bodies that are too long: 413 for those. */
export function statusWithLength({ status, fault }: { readonly status: number; readonly fault: Fault }): number {
  return fault.code === Codes.statementTooLong ? 413 : status;
}

/** HTTP status of a fault on every other route: whether the request is to blame for it, or it may pass. */
export function statusOf(fault: Fault): number {
  const { kind, code } = fault;
  if (kind === 'auth') return 401;
  if (kind === 'forbidden') return 403;
  const ofCode = statusOfCode.get(code);
  if (ofCode !== undefined) return ofCode;
  if (isTransient(fault)) return 503;
  return kind === 'database' && !dataCodes.includes(code) ? 500 : 400;
}

/** The status of what is wrong with the request and not with the service, such as a range that a file does not have. */
export function clientStatusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}
