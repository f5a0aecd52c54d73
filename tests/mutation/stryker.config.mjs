import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  plugins: [here('./node_modules/@stryker-mutator/vitest-runner/dist/src/index.js'), here('./sample.mjs')],
  ignorers: ['sample'],
  mutate: ['server/{context,conversation,site,wordpress,markup}/**/*.ts', 'sections/*/*.ts', '!**/*.test.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'tests/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 30_000,
  // The first run has all mutants in the code. The default, five minutes, is too short on a busy machine.
  dryRunTimeoutMinutes: 30,
  disableTypeChecks: true,
  ignorePatterns: [
    '.next',
    '.data',
    '.cache',
    'docs',
    'test-results',
    'playwright-report',
    'tests/e2e',
    'tests/peers',
    'tests/bench/peers',
  ],
  tempDirName: '.cache/stryker',
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: '.cache/mutation.json' },
  allowConsoleColors: false,
  thresholds: { high: 90, low: 70, break: null },
};
