import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const paths = globSync('{app/api,app/v1,sections,server}/**/*.ts', { cwd: root }).filter(
  (path) => !path.endsWith('.test.ts'),
);

/** What opens connections: modules of Node.js and undici, and the names that are always there. */
const MODULES = /from '(?:node:)?(?:https?|http2|net|tls|dgram|dns(?:\/promises)?|undici|axios|node-fetch)'/;
const GLOBALS = /(?<![.\w'`-])(?:fetch\(|new (?:WebSocket|EventSource|XMLHttpRequest)\b)|\bglobalThis\.fetch\b/;

/** Without comments: they speak of `fetch`. */
function code(path: string): string {
  return readFileSync(join(root, path), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');
}

it('no file but those of server/platform/outgoing can send a request', () => {
  expect(paths.length).toBeGreaterThan(300);
  const openers = paths.filter((path) => MODULES.test(code(path)) || GLOBALS.test(code(path)));
  expect(openers.filter((path) => !path.startsWith('server/platform/outgoing/'))).toEqual([]);
  expect(openers).not.toEqual([]);
});
