import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPath } from '#scripts/lib/project';

/** Inputs of a build; missing entries are skipped. */
const SOURCES = [
  'app',
  'components',
  'examples',
  'messages',
  'prompts',
  'sections',
  'public',
  'server',
  'instrumentation-client.ts',
  'instrumentation.ts',
  'next.config.ts',
  'package-lock.json',
  'package.json',
  'postcss.config.mjs',
  'tsconfig.json',
];

/** File with the hash of the sources of the build. */
const STAMP = '.next/source-hash';

/** Paths of the files below a path, relative to `root`; none if it does not exist. */
async function filesUnder(root: string, path: string): Promise<string[]> {
  if (!existsSync(join(root, path))) return [];
  if (!(await stat(join(root, path))).isDirectory()) return [path];
  const entries = await readdir(join(root, path), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, '/').length));
}

/**
 * SHA-256 over the names and contents of all files that a build reads; tests are left out. Reads file by file, so that
 * a server that already answers requests is not blocked.
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

/** Stores the source hash of the build. */
export async function stampBuild(hash: string, root = projectPath('.')): Promise<void> {
  await writeFile(join(root, STAMP), hash);
}

/** Source hash of the build; null if there is no build. */
async function storedHash(root: string): Promise<string | null> {
  const exists = existsSync(join(root, '.next/BUILD_ID')) && existsSync(join(root, STAMP));
  return exists ? readFile(join(root, STAMP), 'utf8') : null;
}

/** True if the build was made from exactly the current sources. */
export async function isBuilt(root = projectPath('.')): Promise<boolean> {
  const stamp = await storedHash(root);
  return stamp !== null && stamp === (await sourceHash(root));
}

/**
 * Warns if the build was made from other sources than the current ones, as after an update without a build. Never
 * throws: the server runs already.
 */
export async function warnOfOldBuild(warn: (text: string) => void, root = projectPath('.')): Promise<void> {
  const [stamp, current] = await Promise.all([storedHash(root), sourceHash(root)]).catch(() => [null, null]);
  if (stamp === null || stamp === current) return;
  warn('The build is not of the present files, so an update may not be in it. Run: npm run build, and start again.');
}
