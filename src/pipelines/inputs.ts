import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { nowMicros } from '../async/clock.js';
import { isDenied } from '../database/catalogue/rights.js';
import type { Batch, ByteBlock } from '../model/batch.js';
import type { ComponentLog, CreditGate } from '../model/component.js';
import type { Delivery } from '../model/delivery.js';
import type { Credentials, Identity } from '../model/exchange.js';
import type { Fault } from '../model/fault.js';
import type { WatchedMetrics } from '../model/metric.js';
import type { SourceKind, SourceSettings } from '../sources/kind.js';
import { LossLog } from '../sources/support/loss-log.js';
import { through } from '../sources/support/through.js';
import { quotedName } from '../text/quoted-name.js';
import { ConfiguredUser } from './configured-user.js';
import type { ServiceSignals } from './events/signals.js';
import { scrapePieces } from './formats.js';
import type { WriteInput } from './writes.js';

/** Context of the sources. */
export interface InputContext {
  /**
   * A gate for one way in: a sender who floods it holds up no other one. Senders that wait before it need little
   * credit.
   */
  readonly newGate: (canWait: boolean) => CreditGate;
  readonly logOf: (component: string) => ComponentLog;
  readonly authenticate: (credentials: Credentials) => Promise<Identity | Fault>;
  /** Adds metrics that are read at each scrape of the service. */
  readonly watch: (metrics: WatchedMetrics) => void;
  readonly signals: ServiceSignals;
  readonly maxLineBytes: number;
  readonly version: string;
}

/**
 * The sources that are switched on, each by its kind and its settings, which have the same name. For all of them alike:
 * their batches pass while the user of the settings is let in, transient failures are retried here, because senders get
 * no reply, losses are logged, and metrics are added.
 */
export function inputsOf(
  kinds: Readonly<Record<string, SourceKind>>,
  settings: Readonly<Record<string, SourceSettings>>,
  context: InputContext,
): WriteInput[] {
  return Object.entries(kinds).flatMap(([name, kind]) => {
    const own = settings[name];
    return own?.enable === true ? [inputOf(kind, own, context)] : [];
  });
}

function inputOf(kind: SourceKind, settings: SourceSettings, context: InputContext): WriteInput {
  const { newGate, logOf, maxLineBytes, version, signals } = context;
  const log = logOf(kind.name);
  const losses = new LossLog(log);
  const report = reported(losses);
  const gate = newGate(kind.shed === undefined);
  const open = kind.create(settings, {
    gate,
    log,
    losses,
    reported: report,
    scraped: (address, problem) => signals.signals$.next({ kind: 'target', address, problem }),
    nowMicros,
    maxLineBytes,
    piecesOf: (scrape) => scrapePieces(scrape, maxLineBytes),
    version,
  });
  context.watch(kind.metrics(open));
  for (const address of kind.targets?.(settings) ?? []) signals.targets.add(address);
  if (kind.shed !== undefined) signals.shed.set(kind.name, () => kind.shed?.(open) ?? 0);
  const source = kind.reportsItself === true ? open.source : through(open.source, report);
  return { source, gate, retry: 'here', user: configuredUser(settings, kind.name, context) };
}

/** The user of the settings of a way in. */
export function configuredUser(
  { user, password }: Pick<SourceSettings, 'user' | 'password'>,
  name: string,
  { authenticate, logOf }: Pick<InputContext, 'authenticate' | 'logOf'>,
): ConfiguredUser {
  return new ConfiguredUser(user, () => authenticate({ scheme: 'password', user, password }), logOf(name));
}

/** Logs how batches end whose senders get no reply. */
export function reported(losses: LossLog): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  const report = (batch: Batch<ByteBlock>, delivery: Delivery): void => {
    if (delivery.outcome === 'delivered') {
      const { rejectedRows, rejects } = delivery;
      const [first] = rejects;
      if (first !== undefined)
        losses.add('warn', 'Rows were bad and are not stored.', rejectedRows, first.fault.message);
    } else if (delivery.outcome !== 'shed') {
      losses.add('error', 'A batch could not be stored.', 1, lossReason(delivery.fault, batch));
    }
  };
  return map((batch) => ({
    ...batch,
    settle: (delivery) => {
      report(batch, delivery);
      batch.settle(delivery);
    },
  }));
}

/** Why a batch was lost; for a lack of rights, with the statements that mend it, because senders get no reply. */
function lossReason(fault: Fault, { target: { database, user } }: Batch<ByteBlock>): string {
  if (!isDenied(fault)) return fault.message;
  const name = quotedName(database);
  return `${fault.message}: user ${user}, database ${database}. As root: CREATE DATABASE IF NOT EXISTS ${name} PRECISION 'ns'; GRANT WRITE ON ${name}.* TO ${user}`;
}
