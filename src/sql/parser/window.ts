import { Codes, FaultError, fault } from '../../model/fault.js';
import type {
  Expression,
  Fill,
  FillMode,
  InterpRange,
  Name,
  TrueFor,
  WindowClause,
  WindowLength,
} from '../syntax/ast.js';
import { TokenKind } from '../syntax/lexer.js';
import { isLiteral } from '../syntax/tree.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { foldSign, parseInteger, parseSignedWindowLength, parseWindowLength } from './literals.js';
import { parseName, parseTableAlias } from './names.js';

const fillModes = new Map<string, FillMode>([
  ['NONE', 'NONE'],
  ['NULL', 'NULL'],
  ['NULL_F', 'NULL_F'],
  ['PREV', 'PREV'],
  ['NEXT', 'NEXT'],
  ['NEAR', 'NEAR'],
  ['LINEAR', 'LINEAR'],
  ['VALUE', 'VALUE'],
  ['VALUE_F', 'VALUE_F'],
]);

/**
 * `RANGE(from [, to] [, within]) [EVERY(d)] [FILL(...)]` of INTERP, where `within` is a duration. EVERY or FILL without
 * RANGE is 0x265D.
 */
export function parseRange(cursor: Cursor): InterpRange | undefined {
  const start = cursor.start;
  if (!cursor.accept('RANGE')) return refuseLoneEvery(cursor);
  cursor.expect('(');
  const from = parseExpression(cursor);
  const second = cursor.accept(',') ? parseExpression(cursor) : undefined;
  const third = cursor.accept(',') ? parseExpression(cursor) : undefined;
  const [to, within] = third === undefined && second?.kind === 'duration' ? [undefined, second] : [second, third];
  cursor.expect(')');
  const every = cursor.accept('EVERY') ? parseBracketLength(cursor) : undefined;
  const fill = parseFill(cursor, within !== undefined);
  return { from, to, within: within ?? fill?.within, every, fill, span: cursor.spanFrom(start) };
}

function refuseLoneEvery(cursor: Cursor): undefined {
  if (!cursor.at('EVERY') && !cursor.at('FILL')) return undefined;
  const message = 'Invalid usage of RANGE clause, EVERY clause or FILL clause';
  throw new FaultError(fault('syntax', Codes.interpClauses, message));
}

/** The window clause, if one begins here. ANOMALY_WINDOW belongs to an add-on and is refused as not available. */
export function parseWindow(cursor: Cursor): WindowClause | undefined {
  switch (cursor.word) {
    case 'INTERVAL':
      return parseInterval(cursor);
    case 'SESSION':
      return parseSession(cursor);
    case 'STATE_WINDOW':
      return parseState(cursor);
    case 'EVENT_WINDOW':
      return parseEvent(cursor);
    case 'COUNT_WINDOW':
      return parseCountWindow(cursor);
    case 'EXTERNAL_WINDOW':
      return parseExternal(cursor);
    case 'ANOMALY_WINDOW':
      return cursor.refuse('ANOMALY_WINDOW');
    default:
      return undefined;
  }
}

/** `EXTERNAL_WINDOW((query) [alias]) [FILL(…)]` */
function parseExternal(cursor: Cursor): WindowClause {
  const start = cursor.start;
  cursor.advance();
  cursor.expect('(');
  cursor.expect('(');
  const query = cursor.parseQuery?.(cursor) ?? cursor.refuse('EXTERNAL_WINDOW here');
  cursor.expect(')');
  const alias = parseTableAlias(cursor);
  cursor.expect(')');
  const fill = parseFill(cursor);
  return { kind: 'external', query, alias, fill, span: cursor.spanFrom(start) };
}

function parseInterval(cursor: Cursor): WindowClause {
  const start = cursor.start;
  cursor.advance();
  cursor.expect('(');
  const length = parseWindowLength(cursor);
  const offset = cursor.accept(',') ? parseOffset(cursor) : undefined;
  cursor.expect(')');
  const sliding = cursor.accept('SLIDING') ? parseBracketLength(cursor) : undefined;
  const fill = parseFill(cursor);
  return { kind: 'interval', length, offset, sliding, fill, span: cursor.spanFrom(start) };
}

function parseOffset(cursor: Cursor): WindowLength | 'AUTO' {
  return cursor.accept('AUTO') ? 'AUTO' : parseSignedWindowLength(cursor);
}

function parseSession(cursor: Cursor): WindowClause {
  const start = cursor.start;
  cursor.advance();
  cursor.expect('(');
  const column = parseExpression(cursor);
  cursor.expect(',');
  const gap = parseSignedWindowLength(cursor);
  cursor.expect(')');
  return { kind: 'session', column, gap, span: cursor.spanFrom(start) };
}

function parseState(cursor: Cursor): WindowClause {
  const start = cursor.start;
  cursor.advance();
  const arguments_ = cursor.bracketed(parseExpression);
  const [value, second, third, ...rest] = arguments_;
  // The older form has the extension and the zeroth state in the brackets, behind the one value.
  const isOlder = value !== undefined && second !== undefined && isConstant(second) && rest.length === 0;
  const values = isOlder ? [value] : arguments_;
  const extend = isOlder ? second : parseExtend(cursor);
  const zeroth = isOlder ? (third === undefined ? [] : [third]) : parseZeroth(cursor, values.length);
  const trueFor = parseTrueFor(cursor);
  return { kind: 'state', values, extend, zeroth, trueFor, span: cursor.spanFrom(start) };
}

function isConstant(expression: Expression): boolean {
  return isLiteral(expression.kind === 'negate' ? expression.value : expression);
}

/** `EXTEND(n)` */
function parseExtend(cursor: Cursor): Expression | undefined {
  if (!cursor.accept('EXTEND')) return undefined;
  cursor.expect('(');
  const extend = parseExpression(cursor);
  cursor.expect(')');
  return extend;
}

/** `ZEROTH_STATE(value, …)`, one for each value of the state, or NO_ZEROTH for any. */
function parseZeroth(cursor: Cursor, count: number): readonly (Expression | undefined)[] {
  const { start } = cursor;
  if (!cursor.accept('ZEROTH_STATE')) return [];
  const zeroth = cursor.bracketed(() => (cursor.accept('NO_ZEROTH') ? undefined : parseExpression(cursor)));
  if (zeroth.length !== count) cursor.failAt(start, 'a value for each value of the state is expected');
  return zeroth;
}

function parseEvent(cursor: Cursor): WindowClause {
  const window = cursor.start;
  cursor.advance();
  cursor.expect('START');
  cursor.expect('WITH');
  const start = parseExpression(cursor);
  cursor.expect('END');
  cursor.expect('WITH');
  const end = parseExpression(cursor);
  const trueFor = parseTrueFor(cursor);
  return { kind: 'event', start, end, trueFor, span: cursor.spanFrom(window) };
}

/** `TRUE_FOR(d)`, `TRUE_FOR(COUNT n)` or two of them with AND or OR between. */
function parseTrueFor(cursor: Cursor): TrueFor | undefined {
  if (!cursor.accept('TRUE_FOR')) return undefined;
  cursor.expect('(');
  const left = parseLeast(cursor);
  const operator = (['AND', 'OR'] as const).find((word) => cursor.accept(word));
  const least = operator === undefined ? left : { operator, left, right: parseLeast(cursor) };
  cursor.expect(')');
  return least;
}

function parseLeast(cursor: Cursor): TrueFor {
  return cursor.accept('COUNT') ? { rows: parseInteger(cursor) } : parseWindowLength(cursor);
}

function parseCountWindow(cursor: Cursor): WindowClause {
  const start = cursor.start;
  cursor.advance();
  cursor.expect('(');
  const size = parseInteger(cursor);
  let sliding: bigint | undefined;
  const columns: Name[] = [];
  while (cursor.accept(',')) {
    const numbered = cursor.kind === TokenKind.integer || cursor.at('-');
    if (numbered && sliding === undefined && columns.length === 0) sliding = parseInteger(cursor);
    else columns.push(parseName(cursor));
  }
  cursor.expect(')');
  return { kind: 'count', size, sliding, columns, span: cursor.spanFrom(start) };
}

/** `FILL(mode [, value ...])`; PREV, NEXT and NEAR take values where the distance of neighbours is limited. */
function parseFill(cursor: Cursor, isLimited = false): Fill | undefined {
  const start = cursor.start;
  if (!cursor.accept('FILL')) return undefined;
  cursor.expect('(');
  const mode = fillModes.get(cursor.word) ?? cursor.fail();
  cursor.advance();
  const takesValues = isLimited && (mode === 'PREV' || mode === 'NEXT' || mode === 'NEAR') && cursor.at(',');
  const values = mode === 'VALUE' || mode === 'VALUE_F' || takesValues ? parseFillValues(cursor) : [];
  if (cursor.at(',') && cursor.peek() === 'SURROUND') cursor.fail('SURROUND stands behind the brackets of FILL');
  if (cursor.at(',')) cursor.refuse('a value behind this mode of FILL without a distance in RANGE');
  cursor.expect(')');
  if (isLimited || !cursor.at('SURROUND')) return { mode, values, span: cursor.spanFrom(start) };
  if (mode !== 'PREV' && mode !== 'NEXT' && mode !== 'NEAR') cursor.fail();
  return { mode, ...parseSurround(cursor), span: cursor.spanFrom(start) };
}

/** `SURROUND(d [, value, …])`: neighbours of FILL that are farther away than that give way to the values. */
function parseSurround(cursor: Cursor): Pick<Fill, 'within' | 'values'> {
  cursor.advance();
  cursor.expect('(');
  const { start } = cursor;
  const length = parseWindowLength(cursor);
  if ('ticks' in length) cursor.failAt(start, 'a duration is expected');
  const within = { kind: 'duration', value: length, span: cursor.spanFrom(start) } as const;
  const values = cursor.at(',') ? parseFillValues(cursor) : [];
  cursor.expect(')');
  return { within, values };
}

function parseFillValues(cursor: Cursor): readonly Expression[] {
  const values: Expression[] = [];
  do {
    cursor.expect(',');
    values.push(foldSign(parseExpression(cursor)));
  } while (cursor.at(','));
  return values;
}

function parseBracketLength(cursor: Cursor): WindowLength {
  cursor.expect('(');
  const length = parseWindowLength(cursor);
  cursor.expect(')');
  return length;
}
