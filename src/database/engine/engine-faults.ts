import { Codes, type Fault, FaultError, fault, reasonOf } from '../../model/fault.js';
import { raisedFault } from '../../sql/engine/raise.js';
import { failedAssumption } from '../../sql/engine/storage.js';
import { EngineError } from './engine-http.js';

/** Content of the `cause` of a fault of kind `database` or `resource`. */
interface EngineCause {
  /** Code in the engine's list of errors. */
  readonly engineCode: number;
  /** Its name, such as `UNKNOWN_TABLE`. */
  readonly engineType: string;
}

/** NOT_ENOUGH_SPACE: the engine leaves some of the disk free. */
const notEnoughSpaceCode = 243;

/** Prefix of an error that another node has returned to the engine. */
const otherNode = /^Received from \S+ (?:DB::Exception: )?/;

/** The fault of a statement for which there is no space on the disk of `owner`. */
export function diskFullFault(owner: string, cause?: EngineCause): Fault {
  return { ...fault('resource', Codes.free, `The disk of ${owner} is full`, cause), isDiskFull: true };
}

/** Memory limit, too many parts, too many queries, no thread to be had. */
const resourceCodes = new Set([202, 241, 252, 439]);
/**
 * Of a cluster: no reading or writing of a socket, an unknown host, socket timeout, network error, no coordination
 * service, an engine that ends, a table that cannot be written without its keeper, no connection to a shard, too few
 * replicas, an insert whose end is not known.
 */
const networkCodes = new Set([95, 96, 198, 209, 210, 225, 236, 242, 279, 285, 319]);

/**
 * A node or a keeper that dies while it answers another node: the code is that of truncated data. If it counted as an
 * error of the rows, these would be tried one by one and rejected.
 */
const truncatedCodes = new Set([32, 33]);
const truncatedMessage = /while receiving (?:packet|handshake) from/;

/** KEEPER_EXCEPTION: the keeper does not answer, or says no. */
const keeperCode = 999;

/** A limit of memory was reached: that of the statement, of its user, or of the engine. */
const memoryLimitCode = 241;

/** Code of a statement whose `throwIf` fails. */
const raisedCode = 395;

/** Too deep subqueries, pipeline, syntax tree or recursion; the engine's own words name addresses of its stack. */
const depthCodes = new Set([162, 167, 168, 306]);

/**
 * A text or a list of values beyond the engine's limits, such as REPEAT makes, or a join of windows with very many rows
 * each.
 */
const tooLargeCodes = new Set([128, 131]);

/** A decimal beyond its digits, found while rows are computed. */
const decimalOverflowCode = 407;

/** A text that is no shape; these words come with several codes. */
const noShape = /^(?:Incorrect WKT format value|Cannot parse WKT string)/;

/** No statement of ours is empty: the engine reads the file of a definition that it could not write. */
const syntaxErrorCode = 62;

/** A pattern that is not a regular expression; the engine's words are about its own way of writing texts. */
const regularExpressionCode = 427;

/**
 * The fault for an error of a statement. With `isNode`, of a node of a cluster, all truncated data count as a lost
 * connection: the engine does not name a truncated greeting, and another replica has a whole copy of a damaged part.
 */
export function faultErrorOf(error: unknown, isNode = false): FaultError {
  if (error instanceof FaultError) return error;
  if (error instanceof EngineError) return new FaultError(engineFault(error, isNode));
  const text = `The database cannot be reached: ${reasonOf(error)}`;
  return new FaultError(fault('network', Codes.networkUnavailable, text, error));
}

function engineFault({ code: engineCode, type: engineType, message: text }: EngineError, isNode: boolean): Fault {
  const cause: EngineCause = { engineCode, engineType };
  const raised = engineCode === raisedCode ? raisedFault(text) : undefined;
  if (raised !== undefined) return raised;
  const isTruncated = truncatedCodes.has(engineCode) && (isNode || truncatedMessage.test(text));
  if (engineCode === keeperCode) {
    const [line] = text.split('\n');
    return fault('network', Codes.networkUnavailable, `The keeper of the cluster fails: ${line}`, cause);
  }
  if (networkCodes.has(engineCode) || isTruncated) return fault('network', Codes.networkUnavailable, text, cause);
  if (depthCodes.has(engineCode)) {
    return fault('syntax', Codes.syntaxError, 'The statement is nested too deeply', cause);
  }
  if (engineCode === decimalOverflowCode) {
    return fault('database', Codes.decimalOverflow, 'Decimal value overflow', cause);
  }
  if (noShape.test(text)) {
    return fault('database', Codes.functionParameterValue, 'Invalid parameter value : st_geomfromtext', cause);
  }
  if (tooLargeCodes.has(engineCode)) {
    return fault(
      'database',
      Codes.valueOutOfRange,
      'Value out of range: a text or a list of values is too large',
      cause,
    );
  }
  if (engineCode === regularExpressionCode) {
    return fault('syntax', Codes.invalidParameters, 'Invalid parameters: not a regular expression', cause);
  }
  if (engineCode === memoryLimitCode && /^(?:Query memory limit|Memory limit \(for query\))/.test(text)) {
    return fault(
      'database',
      Codes.free,
      'The statement needs more memory than one may have, see limits.statementMemory',
      cause,
    );
  }
  if (engineCode === memoryLimitCode && text.startsWith('User memory limit')) {
    const why = 'The statements of this user need more memory together than they may have, see limits.userMemory';
    return fault('database', Codes.free, why, cause);
  }
  if (authenticationCodes.includes(engineCode)) {
    return fault('database', Codes.free, `The database refuses database.user or database.password: ${text}`, cause);
  }
  if (engineCode === notEnoughSpaceCode || /errno: 28\b|No space left on device/.test(text)) {
    return diskFullFault(otherNode.test(text) ? 'another node of the cluster' : 'the database', cause);
  }
  if (engineCode === syntaxErrorCode && text.startsWith('Empty query')) {
    return {
      ...fault('resource', Codes.free, 'The database could not write a definition when its disk was full', cause),
      isDiskFull: true,
    };
  }
  const kind = resourceCodes.has(engineCode) ? 'resource' : 'database';
  return fault(kind, Codes.free, withoutStatement(text), cause);
}

/**
 * The engine's message without the quoted parts of the statement, which this program has made and the client does not
 * know. The address of another node is left out, too.
 */
function withoutStatement(text: string): string {
  const own = text.replace(otherNode, 'Another node of the cluster: ');
  const quoted = own.search(/\b(?:[Ii]n scope|[Ww]hile (?:executing|processing)|Maybe you meant)\b/);
  return quoted < 0
    ? own
    : own
        .slice(0, quoted)
        .trimEnd()
        .replace(/[:.,]$/, '');
}

/** No such user, wrong or missing password, not allowed from here, authentication failed. */
const authenticationCodes: readonly number[] = [192, 193, 194, 511, 516];

/** True when the engine refused user or password. */
export function isUnknownUser(value: Fault): boolean {
  const code = engineCodeOf(value);
  return code !== undefined && authenticationCodes.includes(code);
}

/**
 * True when the engine has not found the file with the rows of an INSERT: it has restarted, or its memory-backed
 * directory was cleared. Nothing was inserted then.
 */
export function isFileMissing(error: unknown): boolean {
  return error instanceof EngineError && error.code === 107;
}

/**
 * The engine table about which a statement assumed something that the engine found to be wrong; undefined for other
 * failures.
 */
export function failedAssumptionOf(error: unknown): string | undefined {
  if (engineCodeOf(error) !== raisedCode || !(error instanceof FaultError)) return undefined;
  return failedAssumption(error.fault.message);
}

/** The engine's code behind a fault or the error that carries it, or undefined when it did not come from the engine. */
export function engineCodeOf(error: unknown): number | undefined {
  const value = error instanceof FaultError ? error.fault : error;
  if (typeof value !== 'object' || value === null || !('cause' in value)) return undefined;
  const { cause } = value;
  if (typeof cause !== 'object' || cause === null || !('engineCode' in cause)) return undefined;
  return typeof cause.engineCode === 'number' ? cause.engineCode : undefined;
}
