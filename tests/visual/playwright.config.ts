import { defineConfig } from '@playwright/test';
import { projectPath } from '#scripts/lib/project';
import base from '../../playwright.config';

/**
 * The pictures that `npm run test:visual` compares with are made on the machine that compares: fonts differ between
 * machines. They are kept outside git, in .cache/visual.
 */
export default defineConfig(base, {
  testDir: '.',
  outputDir: projectPath('test-results/visual'),
  snapshotPathTemplate: projectPath('.cache/visual/{arg}{ext}'),
  // One server with something on every screen, whose pictures come one after the other.
  workers: 1,
});
