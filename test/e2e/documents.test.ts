import test from 'ava';
import { DocumentWorld } from '../support/document-world.js';
import { blocksOf, longPages, pages, runs } from '../support/documents.js';

const world = await DocumentWorld.start();
test.after.always(() => world.end());

for (const page of pages.filter((name) => !longPages.has(name) && blocksOf(name).some(runs)))
  test.serial(`${page} shows what comes`, (t) => world.run(t, page));
