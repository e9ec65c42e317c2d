import test from 'ava';
import { Subject } from 'rxjs';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { staleSchema } from '../../../src/database/store/stale-schema.js';
import type { Batch, ByteBlock } from '../../../src/model/batch.js';
import { newTally } from '../../../src/model/write-tally.js';
import { admit } from '../../../src/pipelines/write/admit.js';
import { silentLog } from '../../support/engine/engine.js';
import { databaseOf } from '../../support/messages/line-protocol.js';
import { until } from '../../support/until.js';

test('rows of a text whose schema a drop made stale are not counted by kind once more', async (t) => {
  // Nothing is asked of the engine.
  const engine = new EngineClient({ url: 'http://127.0.0.1:9', user: '', password: '' });
  t.teardown(() => engine.close());
  const catalogue = new (class extends Catalogue {
    override database() {
      return databaseOf();
    }
  })(engine, silentLog);
  const texts$ = new Subject<Batch<ByteBlock>>();
  const read: Batch<ByteBlock>[] = [];
  texts$.pipe(admit(catalogue)).subscribe((batch) => read.push(batch));
  const tally = newTally();
  texts$.next({
    origin: 'remote-write',
    target: { database: 'demo', user: 'root', precision: 'ms', createDatabase: false, ttl: 0, tally },
    payload: { kind: 'bytes', format: 'remote-write', bytes: Buffer.alloc(0) },
    rows: 0,
    bytes: 0,
    settle: () => undefined,
  });
  read[0]!.settle({ outcome: 'failed', fault: staleSchema });
  t.true(await until(() => read.length === 2));
  t.deepEqual(
    read.map(({ target }) => target.tally),
    [tally, undefined],
  );
});
