import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#scripts/lib/project';
import { writeRouteTable } from '#scripts/lib/route-table';
import { run } from '#scripts/lib/run';

/** What a build reads; missing entries are skipped. */
const SOURCES = [
  'app',
  'components',
  'lib',
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
const STAMP = projectPath('.next/source-hash');

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesUnder(join(path, name)));
}

/** SHA-256 over the names and contents of everything a build reads; tests are left out. */
function sourceHash(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((source) => filesUnder(projectPath(source))).filter(
    (file) => !/\.test\.tsx?$/.test(file),
  );
  for (const file of files.toSorted())
    hash
      .update(file.slice(projectPath('.').length))
      .update('\0')
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** Whether there is a build of exactly the present sources. */
export function isBuilt(): boolean {
  return existsSync(projectPath('.next/BUILD_ID')) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sourceHash();
}

/** Builds the app for production; returns the exit code of `next build`. */
export async function build(): Promise<number> {
  const hash = sourceHash();
  const { code } = await run('next', ['build'], { env: { NODE_ENV: 'production' } });
  if (code === 0) {
    writeRouteTable();
    writeFileSync(STAMP, hash);
  }
  return code;
}
