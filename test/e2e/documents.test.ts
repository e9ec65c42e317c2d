import test from 'ava';
import { DocumentWorld } from '../support/documents/document-service.js';
import { firstPages } from '../support/documents/documents.js';

const world = await DocumentWorld.start();
test.after.always(() => world.end());

for (const page of firstPages) test.serial(`${page} shows what comes`, (t) => world.run(t, page));
