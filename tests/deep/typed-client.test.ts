import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
mkdirSync(join(root, '.cache'), { recursive: true });
const copy = mkdtempSync(join(root, '.cache', 'typed-client-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** A screen that shows the people of `GET /api/users`. */
const SCREEN = 'components/settings/people.tsx';
const ROUTE = 'app/api/users/route.ts';

/** Errors of the type check of the screen and all that it imports, one per line. */
function typeErrors(): Promise<string[]> {
  const tsc = join(root, 'node_modules/.bin/tsc');
  return new Promise((resolve) => {
    execFile(tsc, ['-p', copy, '--pretty', 'false'], { cwd: copy, maxBuffer: 64_000_000 }, (_, stdout) =>
      resolve(stdout.split('\n').filter((line) => line.includes('error TS'))),
    );
  });
}

it('does not compile the interface when a route changes the type of a shown field', async () => {
  for (const folder of ['app', 'components']) cpSync(join(root, folder), join(copy, folder), { recursive: true });
  for (const name of ['server', 'sections', 'prompts', 'messages', 'node_modules'])
    symlinkSync(join(root, name), join(copy, name));
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  const options = { incremental: false, plugins: [] };
  const project = { extends: '../../tsconfig.json', compilerOptions: options, include: [], files: [SCREEN] };
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(project));

  const route = readFileSync(join(copy, ROUTE), 'utf8');
  const changed = route
    .replace('answer: peopleSchema', 'answer: listOf(personSchema.extend({ email: z.number() }))')
    .concat("\nimport { z } from 'zod';\nimport { listOf } from '#server/core/shapes';\n");
  expect(changed).toContain('z.number()');
  writeFileSync(join(copy, ROUTE), changed);

  const errors = await typeErrors();
  const ofScreens = errors.filter((line) => line.startsWith('components/'));
  expect(ofScreens.join('\n')).toContain(SCREEN);
  expect(ofScreens.filter((line) => !line.startsWith(SCREEN))).toEqual([]);
});
