import test from 'ava';
import { DocumentWorld } from '../support/document-world.js';
import { longPages } from '../support/documents.js';

const world = await DocumentWorld.start();
test.after.always(() => world.end());

for (const page of longPages)
  test.serial(`${page} shows what comes`, (t) => {
    t.timeout(900_000, 'millions of rows are written');
    return world.run(t, page);
  });
