import type { DatabaseParts } from '../database/parts.js';
import type { Component } from '../model/component.js';

/** The polling of the catalogue, as a component to be started before what reads it and stopped after. */
export function polledCatalogue({ catalogue, storage }: Pick<DatabaseParts, 'catalogue' | 'storage'>): Component {
  return {
    name: 'catalogue',
    // An engine that does not answer is perhaps started anew.
    start: async () => catalogue.start(() => storage.forgetRows()),
    stop: async () => catalogue.stop(),
  };
}
