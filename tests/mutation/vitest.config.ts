import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import tests, { ISOLATED } from '../../vitest.config';

const { projects: _, ...shared } = tests.test ?? {};

/** The tests of each mutant: the unit tests of the mutated server folders, and the context manager on a real database. */
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
