import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const bundled = globSync('{app,components,prompts,sections,server}/**/*.{ts,tsx}', { cwd: root }).filter(
  (path) => !/\.test\.tsx?$/.test(path),
);

describe('code that is bundled', () => {
  it('has no `using` declarations, whose disposal the bundler drops', () => {
    expect(bundled.length).toBeGreaterThan(200);
    const offenders = bundled.filter((path) =>
      /^\s*(await )?using \w+ =/m.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(offenders).toEqual([]);
  });
});
