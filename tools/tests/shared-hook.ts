import type { ResolveHook } from 'node:module';

/** What declares tests for a test file: each file has one of its own, so that they are tests of that file. So it has of a file that it runs elsewhere. */
const declaresTests = /\/support\/(?:statement-cases|cluster\/on-cluster)\.js$|\.test\.js$/;

/** Gives each test file of a shared process an `ava` of its own, see `shared.ts`. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const { parentURL = '' } = context;
  const [, file] =
    /\/build\/test\/.+[?]file=(.+)$/.exec(parentURL) ?? /\/build\/test\/(.+)\.test\.js$/.exec(parentURL) ?? [];
  if (file === undefined) return next(specifier, context);
  if (specifier === 'ava') {
    return { url: `${new URL('./shared.js', import.meta.url).href}?file=${file}`, shortCircuit: true };
  }
  const resolved = await next(specifier, context);
  return declaresTests.test(resolved.url) ? { ...resolved, url: `${resolved.url}?file=${file}` } : resolved;
};
