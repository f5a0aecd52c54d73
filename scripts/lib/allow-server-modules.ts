import { registerHooks } from 'node:module';

/**
 * Lets this process load the services: Next marks them with the package `server-only`, which refuses to load outside of
 * it. To be called before they are imported.
 */
export function allowServerModules(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'server-only' ? { url: 'data:text/javascript,', shortCircuit: true } : next(specifier, context),
  });
}
