import { checkedName } from '../../database/catalogue/column-type.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, databaseOf, submit } from './context.js';

/** Longest text of a view, as the list of views declares it. */
const maxTextBytes = 16_384;

/** CREATE [OR REPLACE] VIEW of a query that has been checked; no table may have the name. */
export async function createView(
  { view, orReplace, text }: StatementOf<'create-view'>,
  context: DefinitionContext,
): Promise<void> {
  const database = await databaseOf(context, view);
  const name = checkedName(view.name.text, 192);
  if (Buffer.byteLength(text) > maxTextBytes) {
    throw new FaultError(
      fault('syntax', Codes.statementTooLong, `SQL statement too long: a view has ${maxTextBytes} bytes`),
    );
  }
  if ((await context.subTables.lookUp(database, [name])).has(name)) throw new FaultError(refusals.tableAlreadyExists);
  const { user, database: current } = context;
  return submit(context, { op: 'create-view', database: database.name, name, text, current, user, replace: orReplace });
}

/** DROP VIEW; what was selected from it stays as it is. */
export async function dropView(
  { view, ifExists }: StatementOf<'drop-view'>,
  context: DefinitionContext,
): Promise<void> {
  const database = await databaseOf(context, view);
  const drop = { op: 'drop-view', database: database.name, name: view.name.text } as const;
  return submit(context, drop, ifExists ? Codes.viewNotExist : undefined);
}
