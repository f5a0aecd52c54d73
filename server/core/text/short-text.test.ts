import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, shorten, shortPair, stretch } from '#server/core/text/short-text';

describe('shorten', () => {
  it('leaves a text that fits unchanged', () => {
    expect(shorten('clay  ', 6)).toBe('clay  ');
    expect(shorten('', 6)).toBe('');
  });

  it('counts the ellipsis, and leaves out the space in front of it', () => {
    expect(shorten('blue clay', 8)).toBe('blue cl…');
    expect(shorten('blue clay', 6)).toBe('blue…');
  });

  it('is never longer than asked, and never ends in half a character', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '🎈', 'é', '\n'), maxLength: 30 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (written, maxChars) => {
        const short = shorten(written, maxChars);
        expect(short.length).toBeLessThanOrEqual(maxChars);
        expect(short).not.toContain('\uFFFD');
        expect(short.isWellFormed()).toBe(true);
        expect(written.startsWith(short.replace(/…$/, ''))).toBe(true);
        if (written.length > maxChars) expect(short.endsWith('…')).toBe(true);
      }),
    );
  });
});

describe('oneLine', () => {
  it('joins lines and cuts with an ellipsis', () => {
    expect(oneLine('  a\n\n b\tc ', 10)).toBe('a b c');
    expect(oneLine('a long sentence', 7)).toBe('a long…');
  });

  it('marks a cut if only spaces fill the read part', () => {
    expect(oneLine(`a${' '.repeat(100)}b`, 10)).toBe('a…');
  });

  it('does not include half a character at the end of the read part', () => {
    for (let spaces = 30; spaces < 45; spaces += 1)
      expect(oneLine(`a${' '.repeat(spaces)}🎈 b`, 10)).toMatch(/^a( 🎈( b)?)?…?$/);
  });
});

describe('stretch', () => {
  it('returns the text between two positions, without half characters at either end', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '🎈', 'é'), maxLength: 20 });
    fc.assert(
      fc.property(text, fc.nat(20), fc.nat(20), (whole, from, length) => {
        const cut = stretch(whole, from, from + length);
        expect(cut.isWellFormed()).toBe(true);
        expect(whole.slice(from, from + length).replaceAll(/[\ud800-\udfff]/gu, '')).toBe(cut);
      }),
    );
  });
});

it('excerpts of two different texts do not start with half a character', () => {
  for (let lead = 50; lead < 60; lead += 1) {
    const same = `${'a'.repeat(lead)}${'🎈'.repeat(20)}`;
    expect(shortPair(`${same}one`, `${same}two`).join('')).not.toContain('\uFFFD');
  }
});
