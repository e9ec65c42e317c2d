import test from 'ava';
import fc from 'fast-check';
import { OpenList } from '../../src/model/open-list.js';

test('it holds what a set would hold', (t) => {
  const steps = fc.array(fc.record({ isNew: fc.boolean(), pick: fc.nat(20) }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (program) => {
      const list = new OpenList<{ place: number }>();
      const model = new Set<{ place: number }>();
      const known: { place: number }[] = [];
      for (const { isNew, pick } of program) {
        if (isNew) {
          const item = { place: -1 };
          known.push(item);
          model.add(item);
          list.add(item);
        } else {
          const item = known[pick % Math.max(1, known.length)] ?? { place: -1 };
          t.is(list.delete(item), model.delete(item));
        }
        t.is(list.size, model.size);
        t.deepEqual(new Set(list.all()), model);
      }
    }),
  );
});
