import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tests that a mutant has to pass: the unit tests, and the engine on a real store. */
export default defineConfig({
  root: here('../..'),
  resolve: { alias: { 'server-only': here('../support/server-only.ts') } },
  test: {
    globalSetup: ['tests/support/migrated-database.ts'],
    setupFiles: [
      'tests/support/fail-on-console-error.ts',
      'tests/support/patient-waits.ts',
      'tests/support/property-seed.ts',
    ],
    include: [
      'server/{context,conversation,site,wordpress,markup}/**/*.test.ts',
      'tests/integration/context-manager.test.ts',
    ],
    isolate: false,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
