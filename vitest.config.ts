import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Tests that replace modules (`vi.mock`) or what a browser has (`window`, `fetch`): other files must not load these
 * modules before them, nor have theirs loaded meanwhile, because libraries for browsers look for `window` as they load.
 */
export const ISOLATED = '**/*.isolated.test.{ts,tsx}';

const UNIT = {
  setupFiles: ['tests/support/cheap-passwords.ts'],
  // For tests that hang; a loaded machine may be slow.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/** Small files with slow tests. */
const LONG = [
  'integration/hurtful-texts',
  'integration/store-on-a-server',
  'integration/long-session',
  'integration/large-conversation',
  'integration/crash-recovery',
  'integration/telemetry',
  'integration/chat-on-a-server',
  'integration/commands',
  'peers/whole-database',
  'peers/wordpress-content',
  'peers/wordpress-edits',
  'peers/several-instances',
];

/**
 * Starts slow files first, so that none of them runs alone at the end. Vitest itself estimates the duration by file
 * size.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    // Vitest's own method, which does not change the list.
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  resolve: {
    alias: [
      // Next.js marks server modules with this package; outside Next.js it has no purpose.
      { find: 'server-only', replacement: here('./tests/support/server-only.ts') },
      // Vite takes the dot of `#components/*.ts` for any character, and `toasts` for a module of that form.
      { find: /^#components\/((?!.*\.(?:ts|css)$).+)$/, replacement: `${here('./components')}/$1.tsx` },
    ],
  },
  test: {
    // More than the cores can run in parallel, because these tests mostly wait: for servers that start and streams that
    // end.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: ['tests/support/migrated-database.ts'],
    sequence: { sequencer: LongFirst },
    setupFiles: [
      'tests/support/fail-on-console-error.ts',
      'tests/support/patient-waits.ts',
      'tests/support/property-seed.ts',
    ],
    // A poll ends as soon as its condition is met; how long a busy machine takes is irrelevant.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Files share a worker's modules, because loading them again for each file took half of the time. What
          // keeps state is tested in isolated files.
          isolate: false,
          include: ['{app,components,examples,server,prompts,scripts,sections}/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, ISOLATED],
          ...UNIT,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-isolated',
          include: [ISOLATED],
          ...UNIT,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          // As for unit tests; a file that replaces something shared restores it.
          isolate: false,
          // Every response is checked against the schema that its route declares (server/http/route).
          env: { CHECK_ANSWERS: '1' },
          include: ['tests/integration/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        // Generates clients from the API document and runs them: after `npm run build`, with the packages of its folder.
        test: {
          name: 'clients',
          include: [
            'tests/clients.test.ts',
            'tests/model-clients.test.ts',
            'tests/mcp-clients.test.ts',
            'tests/mcp-conformance.test.ts',
          ],
          // A file of its own set of packages at a time, because each needs the machine.
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'peers',
          include: ['tests/peers/**/*.test.ts'],
          // These tests wait for their peers a third of the time, and need little memory.
          maxWorkers: Math.max(4, availableParallelism() - 1),
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        // Long random runs with real servers: one at a time, because parallel runs would distort each other's
        // measurements.
        test: {
          name: 'deep',
          include: ['tests/deep/**/*.test.ts'],
          env: { DEEP: '1' },
          testTimeout: 3_600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
