import { FaultError } from '../../model/fault.js';
import type { ExactJson } from '../../text/exact-json.js';
import { badBinding, readBoundFields, readBoundTables } from '../../transforms/bound/bound-form.js';
import { jsonColumn } from '../../transforms/bound/json-columns.js';
import { readRawColumns } from '../../transforms/bound/raw-columns.js';
import { parameterFault } from '../request/parameters.js';
import type { Arguments } from './arguments.js';
import {
  type BinaryAction,
  type BinaryMessage,
  headerBytes,
  type SocketAnswer,
  type SocketRequest,
  type TextAction,
} from './protocol.js';
import type { SqlSession } from './sql-session.js';
import { type OpenStatement, shownField } from './statements.js';

type Run = (statement: OpenStatement, args: Arguments, request: SocketRequest) => Promise<SocketAnswer> | SocketAnswer;

/** An action on an open statement, in its turn. Its answer and its errors name the statement. */
function onStatement(run: Run): TextAction<SqlSession> {
  return {
    run: async (session, args, request) => {
      const id = args.id('stmt_id');
      const statement = session.statements.get(id);
      const answer = await statement.inTurn(() => run(statement, args, request));
      return answer === undefined || answer instanceof Uint8Array ? answer : { ...answer, stmt_id: id };
    },
    errorMembers: (args) => ({ stmt_id: args.id('stmt_id') }),
  };
}

/** The same for a binary message. */
function onBinary(
  name: string,
  run: (statement: OpenStatement, bytes: Buffer, request: SocketRequest) => Promise<SocketAnswer> | SocketAnswer,
): BinaryAction<SqlSession> {
  return {
    name,
    run: async (session, { bytes, id }: BinaryMessage, request) => {
      const statement = session.statements.get(id);
      const answer = await statement.inTurn(() => run(statement, bytes.subarray(headerBytes), request));
      return answer === undefined || answer instanceof Uint8Array ? answer : { ...answer, stmt_id: id };
    },
    errorMembers: ({ id }) => ({ stmt_id: id }),
  };
}

const init: TextAction<SqlSession> = { run: (session) => ({ stmt_id: session.statements.open().id }) };

async function prepare(statement: OpenStatement, args: Arguments, request: SocketRequest): Promise<SocketAnswer> {
  const { isInsert } = await statement.prepare(Buffer.from(args.text('sql')), request);
  return { is_insert: isInsert };
}

async function prepareWithFields(
  statement: OpenStatement,
  args: Arguments,
  request: SocketRequest,
): Promise<SocketAnswer> {
  const { isInsert, parameters } = await statement.prepare(Buffer.from(args.text('sql')), request);
  if (!args.flag('get_fields')) return { is_insert: isInsert, fields: null, fields_count: 0 };
  if (!isInsert) return { is_insert: false, fields: null, fields_count: parameters };
  const fields = await statement.fields(request);
  return { is_insert: true, fields: fields.map(shownField), fields_count: fields.length };
}

/** Parameters of a query need no `add_batch`. */
async function execute(statement: OpenStatement, args: Arguments, request: SocketRequest): Promise<SocketAnswer> {
  if (statement.prepared?.isInsert === false && statement.current.columns.length > 0)
    await addBatch(statement, args, request);
  return { affected: await statement.execute(request) };
}

/** Fields of one kind, without their kind. */
function fieldsOf(kind: 'tag' | 'column'): Run {
  return async (statement, _args, request) => {
    const fields = await statement.fields(request);
    const shown = fields.filter(({ bind }) => bind === kind).map(shownField);
    return { fields: shown.map(({ bind_type: _, ...field }) => field) };
  };
}

async function setTags(statement: OpenStatement, args: Arguments, request: SocketRequest): Promise<SocketAnswer> {
  const values = args.list('tags');
  const fields = (await statement.fields(request)).filter(({ bind }) => bind === 'tag');
  if (values.length !== fields.length)
    throw badBinding(`there are ${fields.length} tags, and ${values.length} are bound`);
  await statement.hold(request);
  statement.current.tags = fields.map((field, at) => jsonColumn([values[at] ?? null], field));
  return {};
}

async function bind(statement: OpenStatement, args: Arguments, request: SocketRequest): Promise<SocketAnswer> {
  const values = args.list('columns');
  const fields = (await statement.fields(request)).filter(({ bind: kind }) => kind === 'column');
  if (values.length !== fields.length) {
    throw badBinding(`there are ${fields.length} columns, and ${values.length} are bound`);
  }
  const columns = fields.map((field, at) => jsonColumn(listOf(values[at]), field));
  const rows = columns[0]?.rows;
  if (columns.some((column) => column.rows !== rows)) throw badBinding('the columns have different numbers of rows');
  await statement.hold(request);
  statement.current.columns = columns;
  return {};
}

function listOf(value: ExactJson | undefined): readonly ExactJson[] {
  if (!Array.isArray(value)) throw badBinding('args.columns must be a list of lists');
  return value;
}

async function addBatch(statement: OpenStatement, _args: Arguments, request: SocketRequest): Promise<SocketAnswer> {
  const { name, tags, columns } = statement.current;
  if (columns.length === 0) throw badBinding('no data is bound');
  const bytes = columns.reduce((sum, { values, nulls }) => sum + values.length + nulls.length, 0);
  await statement.bind(request, [{ name, tags, columns }], bytes);
  statement.current.columns = [];
  return {};
}

/** Those of an INSERT are its columns, without the name of the table and its tags. */
async function countParameters(
  statement: OpenStatement,
  _args: Arguments,
  request: SocketRequest,
): Promise<SocketAnswer> {
  const { prepared } = statement;
  if (prepared?.isInsert !== true) return { num_params: prepared?.parameters ?? 0 };
  const fields = await statement.fields(request);
  return { num_params: fields.filter(({ bind: kind }) => kind === 'column').length };
}

async function parameter(statement: OpenStatement, args: Arguments, request: SocketRequest): Promise<SocketAnswer> {
  const index = args.integer('index', 0);
  const fields = (await statement.fields(request)).filter(({ bind: kind }) => kind === 'column');
  const field = fields[index];
  if (field === undefined) throw new FaultError(parameterFault(`there is no parameter ${index}`));
  const { field_type, bytes } = shownField(field);
  return { index, data_type: field_type, length: bytes };
}

/** Actions of both forms of binding in text messages. */
export const statementActions: Readonly<Record<string, TextAction<SqlSession>>> = {
  init,
  prepare: onStatement(prepare),
  set_table_name: onStatement((statement, args) => {
    statement.current = { name: args.text('name'), tags: [], columns: [] };
    return {};
  }),
  set_tags: onStatement(setTags),
  bind: onStatement(bind),
  add_batch: onStatement(addBatch),
  exec: onStatement(execute),
  get_tag_fields: onStatement(fieldsOf('tag')),
  get_col_fields: onStatement(fieldsOf('column')),
  use_result: onStatement((statement) => statement.useResult()),
  stmt_num_params: onStatement(countParameters),
  stmt_get_param: onStatement(parameter),
  // Clients wait for no answer.
  close: {
    run: (session, args) => {
      session.statements.close(args.id('stmt_id'));
      return undefined;
    },
    errorMembers: (args) => ({ stmt_id: args.id('stmt_id') }),
  },
  stmt2_init: init,
  stmt2_prepare: onStatement(prepareWithFields),
  stmt2_exec: onStatement(execute),
  stmt2_result: onStatement((statement) => statement.useResult()),
  stmt2_close: {
    run: (session, args) => {
      const id = args.id('stmt_id');
      session.statements.close(id);
      return { stmt_id: id };
    },
    errorMembers: (args) => ({ stmt_id: args.id('stmt_id') }),
  },
};

const versionBytes = 2;
const allColumns = -1;

function requireVersion(bytes: Buffer, least: number, word: string): void {
  if (bytes.length < least) throw new FaultError(parameterFault('message length is too short'));
  const version = bytes.readUInt16LE(0);
  if (version !== 1) throw new FaultError(parameterFault(`unknown ${word} version: ${version}`));
}

/** Actions of both forms of binding in binary messages, by their numbers. */
export const binaryStatementActions: Readonly<Record<number, BinaryAction<SqlSession>>> = {
  1: onBinary('set_tags', async (statement, bytes, request) => {
    const tags = readRawColumns(bytes);
    await statement.hold(request);
    statement.current.tags = tags;
    return {};
  }),
  2: onBinary('bind', async (statement, bytes, request) => {
    const columns = readRawColumns(bytes);
    await statement.hold(request);
    statement.current.columns = columns;
    return {};
  }),
  9: onBinary('stmt2_bind', async (statement, bytes, request) => {
    requireVersion(bytes, versionBytes + 4, 'stmt2 bind');
    const column = bytes.readInt32LE(versionBytes);
    if (column !== allColumns) throw new FaultError(parameterFault('single columns cannot be bound with stmt2'));
    const data = bytes.subarray(versionBytes + 4);
    await statement.bind(request, readBoundTables(data), data.length, data);
    return {};
  }),
  11: onBinary('stmt2_bind_exec', async (statement, bytes, request) => {
    requireVersion(bytes, versionBytes, 'stmt2 bind and exec');
    const data = bytes.subarray(versionBytes);
    const { prepared } = statement;
    const fields =
      prepared?.isInsert === false
        ? Array.from({ length: prepared.parameters }, () => ({ bind: 'column' }) as const)
        : await statement.fields(request);
    await statement.bind(request, readBoundFields(data, fields), data.length);
    return { affected: await statement.execute(request) };
  }),
};
