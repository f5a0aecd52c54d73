import { defineConfig } from '@playwright/test';
import { findChromium } from '#scripts/lib/tests/chromium';

const executablePath = findChromium();

// Tests start the servers themselves: see tests/support/browser-test.
export default defineConfig({
  outputDir: 'test-results',
  projects: [{ name: 'e2e', testDir: 'tests/e2e' }],
  // Waits end when their condition holds; these limits only decide when a stuck test has failed; milliseconds. Actions
  // and navigations fail after a minute, as expectations do.
  timeout: 300_000,
  expect: { timeout: 60_000, toPass: { timeout: 60_000 } },
  // More than two cores can run in parallel, because a browser test mostly waits for text to be written.
  workers: 3,
  fullyParallel: false,
  forbidOnly: true,
  // A test that passes only when it is repeated is listed as flaky: see scripts/lib/tests/stage.
  retries: 1,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    headless: true,
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // Emulates people who prefer reduced motion: rendering motion takes an eighth of a run. The test `as-it-is-seen`
    // covers the animations.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace takes a screenshot at every step, which makes a run a quarter longer: TRACE=1 npm run test:e2e.
    trace: process.env['TRACE'] ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        // Chromium refuses to run its sandbox as root, the usual user in containers.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    },
  },
});
