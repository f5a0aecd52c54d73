import { defineConfig } from '@playwright/test';
import { findChromium } from '#scripts/lib/programs';

const executablePath = findChromium();

// Servers are started by the tests themselves: see tests/support/browser-test.
export default defineConfig({
  outputDir: 'test-results',
  projects: [
    { name: 'e2e', testDir: 'tests/e2e' },
    // Pictures are compared with those of the same machine, for fonts differ: none are in git.
    { name: 'visual', testDir: 'tests/visual', snapshotPathTemplate: '.cache/visual/{arg}{ext}' },
  ],
  // Waiting ends with what is waited for: these only say when a test that stands still has failed; milliseconds. What
  // is pressed or opened in vain says so after a minute, as what is expected does.
  timeout: 300_000,
  expect: { timeout: 60_000, toPass: { timeout: 60_000 } },
  // More than two cores can take at once: most of a browser test is waiting for words that are written.
  workers: 3,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    headless: true,
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // As for people who ask for less motion: to draw it takes an eighth of a run. `as-it-is-seen` looks at what moves.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace takes a picture of the page at every step, which makes a run a quarter longer: TRACE=1 npm run test:e2e.
    trace: process.env['TRACE'] ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        // Chromium refuses its sandbox to root, which containers usually are.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    },
  },
});
