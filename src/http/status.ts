import { Codes, type Fault, type FaultKind } from '../model/fault.js';

/** One condition of the specification's two status tables. */
export interface StatusRow {
  readonly condition: string;
  readonly codes: readonly number[];
  readonly kinds: readonly FaultKind[];
  /** Status while `httpCodeServerError` is false. */
  readonly plain: number;
  /** Status while `httpCodeServerError` is true. */
  readonly mapped: number;
}

/**
 * Both tables of specification 1, "Errors", as one. Codes are looked at in all rows before kinds are, because a code
 * says more: an unknown table (0x2603) found by the parser is "any other call error" and not a parsing error.
 */
const statusTable: readonly StatusRow[] = [
  {
    condition: 'authentication error',
    codes: [0x0350, 0x0351, 0x0352, 0x0353, 0x0354, 0x0355, 0x0356, Codes.authenticationFailure],
    kinds: ['auth'],
    plain: 401,
    mapped: 401,
  },
  {
    condition: 'call parameter parsing error',
    codes: [
      Codes.insertSyntax,
      Codes.lineSyntax,
      Codes.syntaxError,
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

/** True when somebody is known but may not: write routes answer 403, so that senders neither log in nor try again. */
export function isForbidden({ code }: Fault): boolean {
  return code === Codes.insufficientPrivilege || code === Codes.permissionDenied;
}
