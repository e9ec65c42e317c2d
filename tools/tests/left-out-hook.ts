import type { ResolveHook } from 'node:module';

/** Gives AVA `left-out.ts` in place of a test file. */
export const resolve: ResolveHook = (specifier, context, next) =>
  specifier.endsWith('.test.js')
    ? { url: new URL('./left-out.js', import.meta.url).href, shortCircuit: true }
    : next(specifier, context);
