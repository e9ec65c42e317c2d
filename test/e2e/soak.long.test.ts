import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { startProbedService } from '../support/service/probed-service.js';
import { basicOf } from '../support/service/service.js';
import { until } from '../support/until.js';

/** An hour of it shows more: SLUICE_TEST_SOAK_SECONDS=3600, with SLUICE_TEST_SOAK_SLOWER=1. */
const soakSeconds = Number(process.env.SLUICE_TEST_SOAK_SECONDS ?? 36);
/** How many times slower its senders and readers go, so that other tests have the processors, too. */
const slower = Number(process.env.SLUICE_TEST_SOAK_SLOWER ?? 2);
const mebibyte = 1024 * 1024;

const { service, liveBytes, end } = await startProbedService('--smlAutoCreateDB=true');
test.after.always(end);

/** The pace of a sender: its next request goes out when so many ms have passed. */
function passed(ms: number): Promise<boolean> {
  const due = performance.now() + ms;
  return until(() => performance.now() >= due);
}

/** What a process holds: bytes and open descriptors. */
interface Holding {
  readonly bytes: number;
  readonly descriptors: number;
}

/**
 * What may be added between the second and the last third of the time. Of the adapter the bytes are those in use, without garbage: the code that is
 * compiled meanwhile, and what is on its way at the moment, are some MiB. Those of the engine are resident, with caches that fill.
 */
const mostAdded = { adapter: 6 * mebibyte, engine: 80 * mebibyte } as const;

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The least of a part of the samples: memory goes up and down with what is on its way, so its lows tell whether it grows. */
function least(samples: readonly Holding[], part: 1 | 2, of: keyof Holding): number {
  const third = Math.floor(samples.length / 3);
  return Math.min(...samples.slice(part * third, (part + 1) * third).map((sample) => sample[of]));
}

test.serial('guessed passwords of a name lock out neither its configured user nor others', async (t) => {
  await service.run("CREATE USER guarded PASS 'Right_12'");
  const right = basicOf('guarded', 'Right_12');
  t.is((await service.sql('SELECT 1', { auth: right })).status, 200);
  const stopped = new AbortController();
  const guesses = Array.from({ length: 40 }, async (_, sender) => {
    let asked = 0;
    for (; !stopped.signal.aborted; asked++) {
      const name = sender % 2 === 0 ? 'guarded' : `nobody${asked}`;
      const { status } = await service.sql('SELECT 1', { auth: basicOf(name, `wrong${sender}-${asked}`) });
      if (status !== 401 && status !== 503) throw new Error(`a guess was answered with ${status}`);
      await passed(1);
    }
    return asked;
  });
  for (let at = 0; at < 20; at++) {
    const begun = performance.now();
    t.is((await service.sql('SELECT 1', { auth: right })).status, 200);
    t.is((await service.sql('SELECT 1')).status, 200);
    t.true(performance.now() - begun < 5_000);
    await passed(50);
  }
  stopped.abort();
  const asked = (await Promise.all(guesses)).reduce((sum, some) => sum + some, 0);
  t.log(`${asked} guesses`);
});

test.serial('memory and descriptors stay as they are while all inputs are in use', async (t) => {
  t.timeout((soakSeconds + 120) * 1_000);
  const stop = Date.now() + soakSeconds * 1_000;
  let [rows, questions] = [0, 0];
  const write = async (sender: number): Promise<void> => {
    for (let at = 0; Date.now() < stop; at++) {
      const now = BigInt(Date.now()) * 1_000_000n;
      const lines = Array.from(
        { length: 200 },
        (_, n) => `soak,host=h${sender},n=${n % 50} v=${at},w=${n}i ${now + BigInt(n)}`,
      );
      const { status, text } = await service.write(lines.join('\n'), { db: 'soak' });
      if (status !== 204) throw new Error(text);
      rows += lines.length;
      await passed(20 * slower);
    }
  };
  const query = async (): Promise<void> => {
    t.true(await until(async () => (await service.code('SELECT 1 FROM soak.soak LIMIT 1')) === 0));
    while (Date.now() < stop) {
      await service.rows('SELECT _wstart, avg(v) FROM soak.soak WHERE _ts > NOW - 10s PARTITION BY host INTERVAL(1s)');
      await service.rows('SELECT last(v) FROM soak.soak PARTITION BY tbname LIMIT 10');
      await service.code('SELECT nonsense FROM soak.soak');
      questions += 3;
      await passed(50 * slower);
    }
  };
  const samples: { adapter: Holding; engine: Holding }[] = [];
  const watch = async (): Promise<void> => {
    while (Date.now() < stop) {
      const engine = service.enginePid();
      samples.push({
        adapter: { bytes: await liveBytes(), descriptors: descriptorsOf(service.pid) },
        engine: { bytes: residentBytes(engine), descriptors: descriptorsOf(engine) },
      });
      await passed((soakSeconds * 1_000) / 60);
    }
  };
  await Promise.all([...Array.from({ length: 4 }, (_, sender) => write(sender)), query(), watch()]);
  for (const process of ['adapter', 'engine'] as const) {
    const of = samples.map((sample) => sample[process]);
    const [before, after] = [least(of, 1, 'bytes'), least(of, 2, 'bytes')];
    const [opened, open] = [least(of, 1, 'descriptors'), least(of, 2, 'descriptors')];
    t.log(
      `${process}: ${of.filter((_, at) => at % 6 === 0).map((sample) => `${(sample.bytes / mebibyte).toFixed(0)}/${sample.descriptors}`)}`,
    );
    t.log(
      `${process}: ${(before / mebibyte).toFixed(1)} then ${(after / mebibyte).toFixed(1)} MiB, ${opened} then ${open} descriptors`,
    );
    t.true(after < before + mostAdded[process], `${process} grows from ${before} to ${after}`);
    // Parts that were not merged yet are open files of the engine.
    t.true(open <= opened + 40, `${process} opens more and more: ${opened}, ${open}`);
  }
  t.log(`${rows} rows, ${questions} questions in ${soakSeconds} s`);
});
