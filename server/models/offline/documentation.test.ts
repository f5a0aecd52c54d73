import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { splitClauses } from '#server/models/offline/grammar';
import { recognize } from '#server/models/offline/intents';

const page = readFileSync('docs/offline-assistant.md', 'utf8');
const examples = [...page.matchAll(/^\| `(?<kind>[a-z-]+)` +\| (?<example>.+?) +\| .*\|$/gm)].map(({ groups }) => [
  groups?.example ?? '',
  groups?.kind ?? '',
]);

describe('the documented requests', () => {
  it('are a table of at least fifty examples', () => {
    expect(examples.length).toBeGreaterThan(50);
  });

  it.each(examples)('%s', (example, kind) => {
    expect(splitClauses(example).map((clause) => recognize(clause).intent)).toEqual([kind]);
  });
});
