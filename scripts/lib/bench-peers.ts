import { existsSync, readFileSync } from 'node:fs';
import { projectPath } from '#scripts/lib/project';
import { run } from '#scripts/lib/build';

const FOLDER = 'tests/bench/peers';

interface Lockfile {
  packages: Record<string, { version?: string; optional?: boolean }>;
}

/**
 * Sees to it that the packages which `npm run bench` measures beside this project are installed as their lockfile says.
 * @returns whether they are; why not has been said
 */
export async function installBenchPeers(): Promise<boolean> {
  if (areInstalled()) return true;
  console.log(`> Installing what the bench measures beside this project in ${FOLDER} (once, about 450 MB)`);
  const { code } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', FOLDER]);
  if (code === 0) return true;
  console.log('SKIPPED: the other projects could not be installed (see above). Only this project is measured.');
  return false;
}

/** Npm writes what it installed as a lockfile of the same form; packages of other platforms are not in it. */
function areInstalled(): boolean {
  const installed = `${FOLDER}/node_modules/.package-lock.json`;
  if (!existsSync(projectPath(installed))) return false;
  const found = read(installed).packages;
  return Object.entries(read(`${FOLDER}/package-lock.json`).packages).every(
    ([path, { version, optional }]) => path === '' || optional || found[path]?.version === version,
  );
}

function read(path: string): Lockfile {
  return JSON.parse(readFileSync(projectPath(path), 'utf8')) as Lockfile;
}
