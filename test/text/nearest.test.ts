import test from 'ava';
import { nearestName, suggestion } from '../../src/text/nearest.js';

const known = ['port', 'logLevel', 'log.path', 'agentd.password'];

test('finds the name that was meant, case aside', (t) => {
  t.is(nearestName('prot', known), 'port');
  t.is(nearestName('LOGLEVEL', known), 'logLevel');
  t.is(nearestName('agentd.passwrod', known), 'agentd.password');
  t.is(suggestion('log.pth', known), ' (did you mean log.path?)');
  t.is(nearestName('agentd', known), 'agentd.password');
});

test('suggests nothing when no name is near', (t) => {
  t.is(nearestName('completelyDifferent', known), undefined);
  t.is(nearestName('x', []), undefined);
  t.is(nearestName('foo', ['cos']), undefined);
  t.is(nearestName('time', ['trim']), undefined);
  t.is(suggestion('completelyDifferent', known), '');
});
