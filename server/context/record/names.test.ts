import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesIn } from '#server/context/record/names';
import { expectGrowthBelow, NEARLY_LINEAR } from '#tests/support/growth';

describe('namesIn', () => {
  it.each([
    [
      'short values whole, whatever their key',
      { ref: 'home', titel: 'Über uns', limit: 5, deep: [{ slug: 'team' }] },
      ['home', 'Über uns', 'team'],
    ],
    ['a path', { command: 'sed -n 1,40p src/app.ts | head' }, ['src/app.ts']],
    [
      'an address',
      { note: 'look at https://example.org/a?b=1, and then write about it' },
      ['https://example.org/a?b=1'],
    ],
    [
      'ids',
      { text: 'pag_k7m2p9 replaces ISSUE-1867, see commit 4f2a91c and #4711 of them' },
      ['4f2a91c', 'pag_k7m2p9', 'ISSUE-1867', '#4711'],
    ],
    [
      'what is quoted in a single line',
      { command: 'grep -rn "export let" lib | sort by detectColorMode first' },
      ['export let'],
    ],
    [
      'paths of a long text, not its words',
      { content: `import x from './lib/x.js';\nconst someValue = "a name";\n${'more of it\n'.repeat(60)}` },
      ['./lib/x.js'],
    ],
  ])('reads %s', (_, input, names) => {
    expect(namesIn(input).names).toEqual(names);
  });

  it.each([
    ['a sentence', { text: 'Please write and/or say something about bread, e.g. 1/2 of it.' }],
    ['numbers and marks', { count: 12, price: '12.50', mark: '***', none: null, yes: true }],
  ])('reads nothing in %s', (_, input) => {
    expect(namesIn(input)).toEqual({ names: [], identifiers: [] });
  });

  it('has each name once, and no more than 20 of a call', () => {
    expect(namesIn(['a.ts', 'b.ts', 'a.ts']).names).toEqual(['a.ts', 'b.ts']);
    expect(namesIn(Array.from({ length: 500 }, (_, n) => `file-${n}.ts`)).names).toHaveLength(20);
  });

  it('reads code-like words at any place', () => {
    const content = 'The words userName and max_size, not iPhones or McDonald or snake-case.\nconst x = pageTitle(a);';
    expect(namesIn({ content, command: 'grep detectColorMode' }).identifiers).toEqual([
      'userName',
      'max_size',
      'McDonald',
      'pageTitle',
    ]);
  });

  it('reads any input, in time that grows with its length', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => namesIn(value as never).names.length <= 20));
    for (const piece of ['a/', 'a.', '"', 'aB', '- ', '_1'])
      expectGrowthBelow(NEARLY_LINEAR, piece.repeat(100_000), (read) => namesIn({ text: read }));
  });
});
