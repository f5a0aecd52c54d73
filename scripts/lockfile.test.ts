import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { projectPath } from '#scripts/lib/project';

const lockfile = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() })),
});

it('names the packages of every platform, without which npm ci refuses the lockfile', () => {
  const { packages } = lockfile.parse(JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')));
  const locked = Object.keys(packages);
  const wanted = Object.values(packages).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}));
  const missing = wanted.filter((name) => !locked.some((path) => path.endsWith(`node_modules/${name}`)));
  expect(missing).toEqual([]);
});
