import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isBuilt, sourceHash, stampBuild, warnOfOldBuild } from '#scripts/lib/source-hash';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'throughline-build-'));
  for (const folder of ['app/about', '.next', 'docs']) mkdirSync(join(root, folder), { recursive: true });
  write('app/about/page.tsx', 'one');
  write('package.json', '{}');
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const warnings = async () => {
  const said: string[] = [];
  await warnOfOldBuild((text) => said.push(text), root);
  return said;
};

it('says that a build is of other sources, until it is made again', async () => {
  write('.next/BUILD_ID', 'x');
  await stampBuild(await sourceHash(root), root);
  write('docs/read.md', 'not built');
  write('app/about/page.test.tsx', 'not built');
  expect([await isBuilt(root), await warnings()]).toEqual([true, []]);
  write('app/about/page.tsx', 'two');
  expect([await isBuilt(root), await warnings()]).toEqual([false, [expect.stringContaining('npm run build')]]);
  await stampBuild(await sourceHash(root), root);
  expect([await isBuilt(root), await warnings()]).toEqual([true, []]);
});

it('reports nothing for an unknown build', async () => {
  expect([await isBuilt(root), await warnings()]).toEqual([false, []]);
  write('.next/BUILD_ID', 'x');
  expect([await isBuilt(root), await warnings()]).toEqual([false, []]);
});
