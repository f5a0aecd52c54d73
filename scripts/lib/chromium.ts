import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';
import { run } from '#scripts/lib/run';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The Chromium that browser tests use: `PLAYWRIGHT_CHROMIUM` if set, else the first one on PATH, else the one that
 * Playwright downloaded. Undefined when there is none.
 */
export function findChromium(): string | undefined {
  const named = process.env['PLAYWRIGHT_CHROMIUM'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  return onPath ?? [chromium.executablePath()].find((path) => existsSync(path));
}

async function installWithApt(): Promise<void> {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return;
  const asRoot = process.getuid?.() === 0 ? '' : 'sudo -n ';
  const apt = `${asRoot}env DEBIAN_FRONTEND=noninteractive apt-get -qq`;
  console.log('> Installing Chromium with apt-get');
  const install = `${apt} update; ${apt} install -y --no-install-recommends chromium`;
  const { code, output } = await run('sh', ['-c', install], { capture: true });
  if (code !== 0) console.log(output.trim());
}

async function starts(path: string): Promise<boolean> {
  return (await run(path, ['--version'], { capture: true })).code === 0;
}

/** Finds a Chromium that starts, or installs one: by the package manager, else Playwright's own. Throws when nothing works. */
export async function ensureChromium(): Promise<string> {
  const attempts = [() => Promise.resolve(), installWithApt, () => run('playwright', ['install', 'chromium'])];
  for (const attempt of attempts) {
    await attempt();
    const path = findChromium();
    if (path !== undefined && (await starts(path))) return path;
  }
  throw new Error(
    'Browser tests need Chromium. Install it (Debian: apt-get install chromium) or set PLAYWRIGHT_CHROMIUM to its path.',
  );
}
