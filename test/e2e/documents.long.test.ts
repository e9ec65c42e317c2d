import test from 'ava';
import { DocumentWorld } from '../support/documents/document-service.js';
import { blocksOf, firstPages, pages, runs } from '../support/documents/documents.js';

const world = await DocumentWorld.start();
test.after.always(() => world.end());

for (const page of pages.filter((name) => !firstPages.has(name) && blocksOf(name).some(runs)))
  test.serial(`${page} shows what comes`, (t) => {
    t.timeout(900_000, 'millions of rows are written');
    return world.run(t, page);
  });
