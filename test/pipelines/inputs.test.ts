import test from 'ava';
import type { Subject } from 'rxjs';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import { type Delivery, delivered } from '../../src/model/delivery.js';
import type { Identity } from '../../src/model/exchange.js';
import { Codes, type Fault, fault } from '../../src/model/fault.js';
import type { WatchedMetrics } from '../../src/model/metric.js';
import { optionTable, type SettingsOf } from '../../src/model/option.js';
import { ByteCreditGate } from '../../src/pipelines/credit-gate.js';
import { ServiceSignals } from '../../src/pipelines/events/signals.js';
import { inputsOf } from '../../src/pipelines/inputs.js';
import { type SourceKind, targetOf } from '../../src/sources/kind.js';
import { sourceKinds } from '../../src/sources/kinds.js';
import { sourceOptions } from '../../src/sources/options.js';
import { Emitter } from '../../src/sources/support/emitter.js';
import { storeRows, ttlRow } from '../../src/sources/support/option-rows.js';

// What the folder of a made-up source holds: its settings, its source, and its kind.
const table = optionTable('pigeon', 'Pigeons', [
  { flag: 'pigeon.enable', type: 'bool', default: 'false', env: 'ADAPTER_PIGEON_ENABLE', help: 'wait for pigeons' },
  ...storeRows('pigeon'),
  ttlRow('pigeon'),
]);
type PigeonSettings = SettingsOf<typeof table>;

/** Letters land by a call instead of a socket. */
class PigeonSource {
  readonly name = 'pigeon';
  readonly #emitter: Emitter;
  letters = 0;

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  get batches$(): Subject<Batch<ByteBlock>> {
    return this.#emitter.batches$;
  }

  land(letter: string): void {
    this.letters++;
    this.#emitter.emit(Buffer.from(letter), 1);
  }

  async start(): Promise<void> {}

  async drain(): Promise<void> {
    await this.#emitter.settled();
  }

  async stop(): Promise<void> {
    this.#emitter.close();
  }
}

const landed: PigeonSource[] = [];
const pigeon: SourceKind<PigeonSettings, { readonly source: PigeonSource }> = {
  name: 'pigeon',
  options: { table, read: (reader) => reader.settings(table) },
  create(settings) {
    const target = targetOf(settings);
    const source = new PigeonSource(new Emitter({ origin: 'pigeon', format: 'lineproto', target }));
    landed.push(source);
    return { source };
  },
  metrics: ({ source }) => ({ adapter_pigeon_letters: { help: 'Letters that came.', read: () => source.letters } }),
  targets: ({ db }) => [`loft of ${db}`],
  shed: () => 3,
};

/** The line that a new kind is in the list. */
const kinds = { ...sourceKinds, pigeon };
const off = Object.fromEntries(
  Object.keys(sourceOptions).map((name) => [name, { enable: false, user: 'root', password: '' }]),
);
const settings = { enable: true, db: 'letters', user: 'ann', password: 'secret', ttlDays: 7 };

function opened(authenticate: () => Promise<Identity | Fault>, kind: SourceKind<PigeonSettings> = pigeon) {
  const said: unknown[] = [];
  const metrics: WatchedMetrics[] = [];
  const waits: boolean[] = [];
  const signals = new ServiceSignals();
  const log = { error: (fields: object) => said.push(fields), warn: (fields: object) => said.push(fields) };
  const inputs = inputsOf(
    { ...kinds, pigeon: kind },
    { ...off, pigeon: settings },
    {
      newGate: (canWait) => {
        waits.push(canWait);
        return new ByteCreditGate(1e6);
      },
      logOf: () => ({ ...log, info() {}, debug() {} }),
      authenticate,
      watch: (shown) => metrics.push(shown),
      signals,
      maxLineBytes: 1000,
      version: '1',
    },
  );
  return { inputs, said, metrics, signals, waits, source: landed.at(-1)! };
}

test('a source that is made up is opened with its user, its metrics, its losses and its retries', async (t) => {
  const { inputs, said, metrics, signals, source } = opened(async () => ({ user: 'ann' }));
  t.deepEqual(
    inputs.map(({ source: { name }, retry }) => ({ name, retry })),
    [{ name: 'pigeon', retry: 'here' }],
  );
  const endings: Delivery[] = [
    delivered(1),
    { outcome: 'rejected', fault: fault('database', Codes.databaseNotExist, 'no database') },
  ];
  const [input] = inputs;
  const came = new Promise<readonly Batch<ByteBlock>[]>((resolve) => {
    const batches: Batch<ByteBlock>[] = [];
    input?.source.batches$.pipe(input.user!.admit()).subscribe((batch) => {
      batches.push(batch);
      if (batches.length === endings.length) resolve(batches);
    });
  });
  for (const _ of endings) source.land('m v=1 1');
  const batches = await came;
  for (const [at, batch] of batches.entries()) batch.settle(endings[at]!);
  t.like(batches[0]?.target, { database: 'letters', user: 'ann', createDatabase: true, ttl: 7 });
  t.deepEqual(said, [{ count: 1, reason: 'no database' }]);
  t.is(metrics[0]?.adapter_pigeon_letters?.read(), 2);
  t.is(signals.shed.get('pigeon')?.(), 3);
  t.deepEqual([...signals.targets], ['loft of letters']);
  await input?.source.drain();
});

test('a source that drops nothing makes its senders wait, and needs little credit for that', (t) => {
  const { shed: _, ...patient } = pigeon;
  const letIn = async () => ({ user: 'ann' });
  t.deepEqual([opened(letIn).waits, opened(letIn, patient).waits], [[false], [true]]);
});

test('what comes for a user who is not let in ends as refused', async (t) => {
  const refusal = fault('auth', Codes.authenticationFailure, 'Authentication failure');
  const { inputs, source } = opened(async () => refusal);
  const [input] = inputs;
  const passed: unknown[] = [];
  input?.source.batches$.pipe(input.user!.admit()).subscribe((batch) => passed.push(batch));
  source.land('m v=1 1');
  await input?.source.drain();
  t.deepEqual(passed, []);
});

test('every kind has a table of settings of its own, and its metrics have a name and a help text', (t) => {
  t.deepEqual(Object.keys(sourceKinds), Object.keys(sourceOptions));
  for (const [name, kind] of Object.entries(sourceKinds)) {
    t.is<unknown, unknown>(kind.options, Reflect.get(sourceOptions, name));
    t.is(kind.options.table.group, kind.name);
  }
});
