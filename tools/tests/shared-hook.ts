import type { ResolveHook } from 'node:module';

/** Gives each test file of a shared process an `ava` of its own, see `shared.ts`. */
export const resolve: ResolveHook = (specifier, context, next) => {
  const file = /\/build\/test\/(.+)\.test\.js$/.exec(context.parentURL ?? '')?.[1];
  if (specifier !== 'ava' || file === undefined) return next(specifier, context);
  const url = new URL('./shared.js', import.meta.url);
  url.searchParams.set('file', file);
  return { url: url.href, shortCircuit: true };
};
