import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { Component } from '../model/component.js';

/** The polling of the catalogue, as a component to be started before what reads it and stopped after. */
export function polledCatalogue(catalogue: Catalogue): Component {
  return {
    name: 'catalogue',
    start: async () => catalogue.start(),
    stop: async () => catalogue.stop(),
  };
}
