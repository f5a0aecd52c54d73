import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';
import { run } from '#scripts/lib/build';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of the first of these programs that is on PATH, or where servers are, which is not on everybody's PATH. */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), '/usr/sbin'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Keeps Debian's packages from starting servers while they are installed, and leaves no trace: a rule that is there
 * already is another's, and does.
 */
const WITHOUT_SERVICES = `
rule=/usr/sbin/policy-rc.d
if [ ! -e "$rule" ]; then
  trap 'rm -f "$rule"' EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\\nexit 101\\n' >"$rule" && chmod +x "$rule"
fi`;

/** Installs packages where Debian's package manager is there and lets us; says so, and what it said if it failed. */
export async function installWithApt(names: readonly string[]): Promise<void> {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return;
  console.log(`> Installing ${names.join(', ')} with apt-get`);
  // Somebody else may install something just now, as machines do by themselves when they start; seconds.
  const apt = 'env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3';
  const script = `${WITHOUT_SERVICES}\n${apt} update; ${apt} install -y --no-install-recommends ${names.join(' ')}`;
  const [command, args] = process.getuid?.() === 0 ? ['sh', ['-c', script]] : ['sudo', ['-n', 'sh', '-c', script]];
  const { code, output } = await run(command, args, { capture: true });
  if (code !== 0) console.log(output.trim());
}

/** The one without windows, of Debian, comes first: the same pages take it 28 % less processor time. */
const HEADLESS = 'chromium-headless-shell';
const NAMES = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

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
  const install = (name: string) => () => installWithApt([name]);
  const attempts = [() => Promise.resolve(), install(HEADLESS), install('chromium'), download];
  for (const attempt of attempts) {
    await attempt();
    const path = findChromium();
    if (path !== undefined && (await starts(path))) return path;
  }
  throw new Error(
    'Browser tests need Chromium. Install it (Debian: apt-get install chromium) or set PLAYWRIGHT_CHROMIUM to its path.',
  );
}

/** Programs and folders from Debian's packages that a WordPress needs. */
export interface WordPressPrograms {
  readonly php: string;
  readonly mariadbd: string;
  readonly mariadb: string;
  readonly installDatabase: string;
  /** Folder with WordPress itself, to be copied. */
  readonly tree: string;
}

/** Debian's packages of a WordPress that runs on PHP's own web server. */
export const WORDPRESS_PACKAGES = [
  'wordpress',
  'php-cli',
  'php-mysql',
  'php-gd',
  'php-xml',
  'php-curl',
  'php-mbstring',
  'mariadb-server',
];

/** `WORDPRESS_TREE` names the folder of another version. */
const TREE = process.env['WORDPRESS_TREE'] ?? '/usr/share/wordpress';

/** All of them, or undefined where one is missing. */
export function findWordPress(): WordPressPrograms | undefined {
  const php = findProgram(['php']);
  const mariadbd = findProgram(['mariadbd']);
  const mariadb = findProgram(['mariadb']);
  const installDatabase = findProgram(['mariadb-install-db']);
  if (!php || !mariadbd || !mariadb || !installDatabase || !existsSync(`${TREE}/wp-load.php`)) return undefined;
  return { php, mariadbd, mariadb, installDatabase, tree: TREE };
}
