import { existsSync, readFileSync } from 'node:fs';
import { projectPath } from '#scripts/lib/project';
import { run } from '#scripts/lib/run';

interface Lockfile {
  packages: Record<string, { version?: string; optional?: boolean }>;
}

/**
 * Sees to it that the packages which a bench needs and this project does not are installed as their lockfile says.
 * @param folder with their package.json
 * @param size of what is installed, for people
 * @returns whether they are
 */
export async function installBenchPeers(folder: string, size: string): Promise<boolean> {
  if (areInstalled(folder)) return true;
  console.log(`> Installing what the bench needs in ${folder} (once, about ${size})`);
  const { code } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]);
  return code === 0;
}

/** Npm writes what it installed as a lockfile of the same form; packages of other platforms are not in it. */
function areInstalled(folder: string): boolean {
  const installed = `${folder}/node_modules/.package-lock.json`;
  if (!existsSync(projectPath(installed))) return false;
  const found = read(installed).packages;
  return Object.entries(read(`${folder}/package-lock.json`).packages).every(
    ([path, { version, optional }]) => path === '' || optional || found[path]?.version === version,
  );
}

function read(path: string): Lockfile {
  return JSON.parse(readFileSync(projectPath(path), 'utf8')) as Lockfile;
}
