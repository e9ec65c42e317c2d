import test from 'ava';
import type { Component } from '../../src/model/component.js';
import { Lifecycle } from '../../src/pipelines/lifecycle.js';

const silent = { error() {}, warn() {}, info() {}, debug() {} };

function recorded(steps: string[], name: string, failing?: 'start' | 'drain' | 'stop'): Component {
  const step = (what: 'start' | 'drain' | 'stop') => async () => {
    steps.push(`${what} ${name}`);
    if (what === failing) throw new Error(`${name} cannot ${what}`);
  };
  return { name, start: step('start'), drain: step('drain'), stop: step('stop') };
}

test('starts in order, drains everything before it releases anything, in reverse', async (t) => {
  const steps: string[] = [];
  const life = new Lifecycle([recorded(steps, 'sink'), recorded(steps, 'input')], silent);
  await life.start();
  await Promise.all([life.stop(1000), life.stop(1000)]);
  t.deepEqual(steps, ['start sink', 'start input', 'drain input', 'drain sink', 'stop input', 'stop sink']);
});

test('a start that fails releases what was started and passes the error on', async (t) => {
  const steps: string[] = [];
  const life = new Lifecycle([recorded(steps, 'sink'), recorded(steps, 'input', 'start')], silent);
  await t.throwsAsync(life.start(), { message: 'input cannot start' });
  t.deepEqual(steps, ['start sink', 'start input', 'stop input', 'stop sink']);
});

test('a component that cannot be drained or stopped does not keep the others from it', async (t) => {
  const steps: string[] = [];
  const life = new Lifecycle(
    [recorded(steps, 'a'), recorded(steps, 'b', 'drain'), recorded(steps, 'c', 'stop')],
    silent,
  );
  await life.start();
  await life.stop(1000);
  t.deepEqual(steps.slice(3), ['drain c', 'drain b', 'drain a', 'stop c', 'stop b', 'stop a']);
});

const never = new Promise<void>(() => {});

test('what never ends is cut off at the deadline, and everything else is drained and released all the same', async (t) => {
  const steps: string[] = [];
  const said: object[] = [];
  const stuck: Component = {
    name: 'stuck',
    drain: () => {
      steps.push('drain stuck');
      return never;
    },
    stop: () => {
      steps.push('stop stuck');
      return never;
    },
  };
  const components = [recorded(steps, 'sink'), stuck, { name: 'lifeless' }, stuck, recorded(steps, 'input')];
  const life = new Lifecycle(components, { ...silent, warn: (fields) => said.push(fields) });
  await life.start();
  const begun = performance.now();
  await life.stop(200);
  const took = performance.now() - begun;
  t.true(took >= 175 && took < 1000, `${took} ms`);
  t.deepEqual(steps.slice(2), [
    'drain input',
    'drain stuck',
    'drain stuck',
    'drain sink',
    'stop input',
    'stop stuck',
    'stop stuck',
    'stop sink',
  ]);
  t.deepEqual(said, [
    { component: 'stuck', step: 'drain' },
    { component: 'stuck', step: 'drain' },
    { component: 'stuck', step: 'stop' },
    { component: 'stuck', step: 'stop' },
  ]);
});
