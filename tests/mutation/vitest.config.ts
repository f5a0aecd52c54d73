import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import tests, { ISOLATED } from '../../vitest.config';

const { projects: _, ...shared } = tests.test ?? {};

/** The tests that a mutant has to pass: the unit tests of the server, and the engine on a real store. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: tests.resolve ?? {},
  test: {
    ...shared,
    include: [
      'server/{context,conversation,site,wordpress,markup}/**/*.test.ts',
      'tests/integration/context-manager.test.ts',
    ],
    exclude: [...configDefaults.exclude, ISOLATED],
    isolate: false,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
