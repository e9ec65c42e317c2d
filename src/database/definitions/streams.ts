import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Statement } from '../../sql/ast-statement.js';
import { Access, insufficientPrivilege } from '../rights.js';
import { type DefinitionContext, submit } from './context.js';

type DropStream = Extract<Statement, { kind: 'drop-stream' }>;
type SwitchStream = Extract<Statement, { kind: 'switch-stream' }>;

/** DROP STREAM; its table stays as it is. What is kept about how far it was goes with the next run. */
export async function dropStream({ name, ifExists }: DropStream, context: DefinitionContext): Promise<void> {
  requireOwner(name.text, context);
  await submit(context, { op: 'drop-stream', name: name.text }, ifExists ? Codes.streamNotExist : undefined);
}

/** PAUSE STREAM and RESUME STREAM: what is written meanwhile is worked in later. */
export async function switchStream(
  { name, ifExists, paused }: SwitchStream,
  context: DefinitionContext,
): Promise<void> {
  requireOwner(name.text, context);
  const allowed = ifExists ? Codes.streamNotExist : undefined;
  await submit(context, { op: 'switch-stream', name: name.text, paused }, allowed);
}

/** A stream belongs to its maker. To others it does not exist unless they see the database it writes to. */
function requireOwner(name: string, context: DefinitionContext): void {
  const stream = context.catalogue.derivations.stream(name);
  const access = new Access(context.catalogue, context.user);
  if (stream === undefined || stream.user === context.user || access.owns(stream.target.database)) return;
  throw access.sees(stream.target.database)
    ? insufficientPrivilege()
    : new FaultError(fault('database', Codes.streamNotExist, 'Stream not exist'));
}
