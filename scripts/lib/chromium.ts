import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { findProgram, installWithApt } from '#scripts/lib/programs';
import { run } from '#scripts/lib/run';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * The Chromium that browser tests use: `PLAYWRIGHT_CHROMIUM` if set, else the first one on PATH, else the one that
 * Playwright downloaded. Undefined when there is none.
 */
export function findChromium(): string | undefined {
  const named = process.env['PLAYWRIGHT_CHROMIUM'];
  if (named) return named;
  return findProgram(NAMES) ?? [chromium.executablePath()].find((path) => existsSync(path));
}

async function starts(path: string): Promise<boolean> {
  return (await run(path, ['--version'], { capture: true })).code === 0;
}

/** Finds a Chromium that starts, or installs one: by the package manager, else Playwright's own. Throws when nothing works. */
export async function ensureChromium(): Promise<string> {
  const download = () => run('playwright', ['install', 'chromium']);
  const attempts = [() => Promise.resolve(), () => installWithApt(['chromium']), download];
  for (const attempt of attempts) {
    await attempt();
    const path = findChromium();
    if (path !== undefined && (await starts(path))) return path;
  }
  throw new Error(
    'Browser tests need Chromium. Install it (Debian: apt-get install chromium) or set PLAYWRIGHT_CHROMIUM to its path.',
  );
}
