import test from 'ava';
import fc from 'fast-check';
import { OpenList } from '../../src/async/open-list.js';

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
        // In any order.
        t.true(list.all().every((item) => model.has(item)));
        t.is(new Set(list.all()).size, model.size);
      }
    }),
  );
});
