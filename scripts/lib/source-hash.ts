import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPath } from '#scripts/lib/project';

/** Inputs of a build; missing entries are skipped. */
const SOURCES = [
  'app',
  'components',
  'prompts',
  'public',
  'server',
  'instrumentation.ts',
  'next.config.ts',
  'package-lock.json',
  'package.json',
  'postcss.config.mjs',
  'tsconfig.json',
];

/** Hash of the sources that a build was made of. */
const STAMP = '.next/source-hash';

async function filesUnder(root: string, path: string): Promise<string[]> {
  if (!existsSync(join(root, path))) return [];
  if (!(await stat(join(root, path))).isDirectory()) return [path];
  const entries = await readdir(join(root, path), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, '/').length));
}

/**
 * SHA-256 over the names and contents of everything a build reads; tests are left out. File by file, so that a server
 * that has begun to answer goes on meanwhile.
 */
export async function sourceHash(root = projectPath('.')): Promise<string> {
  const hash = createHash('sha256');
  const files: string[] = [];
  for (const source of SOURCES) files.push(...(await filesUnder(root, source)));
  for (const file of files.filter((path) => !/\.test\.tsx?$/.test(path)).toSorted())
    hash
      .update(file)
      .update('\0')
      .update(await readFile(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

/** Notes what the build was made of. */
export async function stampBuild(hash: string, root = projectPath('.')): Promise<void> {
  await writeFile(join(root, STAMP), hash);
}

/** Hash of the sources of the build; null: there is none. */
async function stampOf(root: string): Promise<string | null> {
  const isThere = existsSync(join(root, '.next/BUILD_ID')) && existsSync(join(root, STAMP));
  return isThere ? readFile(join(root, STAMP), 'utf8') : null;
}

/** True when there is a build of exactly the present sources. */
export async function isBuilt(root = projectPath('.')): Promise<boolean> {
  const stamp = await stampOf(root);
  return stamp !== null && stamp === (await sourceHash(root));
}

/**
 * Says that the build is of other sources than those that are here, as after an update whose build was forgotten. Never
 * throws: a server runs already.
 */
export async function warnOfOldBuild(warn: (text: string) => void, root = projectPath('.')): Promise<void> {
  const [stamp, present] = await Promise.all([stampOf(root), sourceHash(root)]).catch(() => [null, null]);
  if (stamp === null || stamp === present) return;
  warn('The build is not of the present files, so an update may not be in it. Run: npm run build, and start again.');
}
