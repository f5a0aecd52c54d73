import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Short files that take long. */
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

/** Begins with what takes long, or the last of it would run alone in the end. Vitest's own guess is the size of a file. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    // Vitest's own, which leaves the list as it is.
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  resolve: {
    alias: {
      // Next marks server modules with this package; outside Next there is nothing to guard.
      'server-only': here('./tests/support/server-only.ts'),
    },
  },
  test: {
    // More than two cores can take at once: these tests wait a lot, for servers that start and streams that end.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: ['tests/support/migrated-database.ts'],
    sequence: { sequencer: LongFirst },
    setupFiles: [
      'tests/support/fail-on-console-error.ts',
      'tests/support/patient-waits.ts',
      'tests/support/property-seed.ts',
    ],
    // A wait ends with what it waits for; how long a busy machine takes for that says nothing.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Files share a worker's modules: loading them anew for each took half of the time. None keeps state in a module.
          isolate: false,
          include: ['{app,components,examples,server,prompts,scripts}/**/*.test.{ts,tsx}'],
          // For what hangs; a loaded machine may take its time.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          // As for unit tests; a file that puts something in place of what others share takes it away again.
          isolate: false,
          // Every answer is held against the shape that its route declares (server/http/route).
          env: { CHECK_ANSWERS: '1' },
          include: ['tests/integration/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'peers',
          include: ['tests/peers/**/*.test.ts'],
          // They wait for their peers a third of the time, and need little memory.
          maxWorkers: Math.max(4, availableParallelism() - 1),
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        // Long random runs with real servers: one at a time, or they would measure one another.
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
