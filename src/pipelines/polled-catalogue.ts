import type { Polling } from '../database/catalogue/catalogue.js';
import type { DatabaseParts } from '../database/store/parts.js';
import type { Component } from '../model/component.js';

/** The polling of the catalogue, as a component to be started before what reads it and stopped after. */
export function polledCatalogue(
  { catalogue, storage }: Pick<DatabaseParts, 'catalogue' | 'storage'>,
  options: Pick<Polling, 'watchLog' | 'submitted'> = {},
): Component {
  return {
    name: 'catalogue',
    // An engine that does not answer is perhaps started anew.
    start: async () => catalogue.start({ failed: () => storage.forgetRows(), ...options }),
    stop: async () => catalogue.stop(),
  };
}
