import { insufficientPrivilege } from '../../database/catalogue/rights.js';
import { Codes, FaultError } from '../../model/fault.js';
import { named, refusals } from '../../model/refusals.js';
import type { Name } from '../../sql/syntax/ast.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, submit } from '../definitions/context.js';
import type { Requester } from '../definitions/statement-rights.js';

/** DROP STREAM; its table stays as it is. What is kept about how far it was goes with the next run. */
export async function dropStream(
  { name, ifExists }: StatementOf<'drop-stream'>,
  context: DefinitionContext,
): Promise<void> {
  await submit(context, { op: 'drop-stream', name: name.text }, ifExists ? Codes.streamNotExist : undefined);
}

/** PAUSE STREAM and RESUME STREAM: what is written meanwhile is worked in later. */
export async function switchStream(
  { name, ifExists, paused }: StatementOf<'switch-stream'>,
  context: DefinitionContext,
): Promise<void> {
  const allowed = ifExists ? Codes.streamNotExist : undefined;
  await submit(context, { op: 'switch-stream', name: name.text, paused }, allowed);
}

/** A stream belongs to its maker. To others it does not exist unless they see the database it writes to. */
export function streamOwning({ name }: { readonly name: Name }, { access, catalogue }: Requester): void {
  const stream = catalogue.derivations.stream(name.text);
  if (stream === undefined || stream.user === access.user || access.owns(stream.target.database)) return;
  throw access.sees(stream.target.database)
    ? insufficientPrivilege()
    : new FaultError(named(refusals.streamNotExist, name.text));
}
