import { registerHooks } from 'node:module';

// The words of the screens are in `.tsx` files of the components, which Node.js does not load by itself. They have no JSX.
registerHooks({
  load: (url, context, nextLoad) =>
    nextLoad(url, url.endsWith('.tsx') ? { ...context, format: 'module-typescript' } : context),
});
