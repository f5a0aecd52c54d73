import { readFileSync } from 'node:fs';

/** Name and version of an installed package: `langchain 1.5.14`. */
export function packageSource(name: string): string {
  const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return `${name} ${version}`;
}
