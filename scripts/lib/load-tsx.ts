import { registerHooks } from 'node:module';

// The texts of the screens are in `.tsx` files of the components, which Node.js cannot load by itself. They contain no
// JSX.
registerHooks({
  load: (url, context, nextLoad) =>
    nextLoad(url, url.endsWith('.tsx') ? { ...context, format: 'module-typescript' } : context),
});
