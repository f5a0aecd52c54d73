import { describe, expect, it } from 'vitest';
import { oneLine } from '#server/core/visible-text';

describe('oneLine', () => {
  it('joins lines and cuts with an ellipsis', () => {
    expect(oneLine('  a\n\n b\tc ', 10)).toBe('a b c');
    expect(oneLine('a long sentence', 7)).toBe('a long…');
  });

  it('says that more follows where only spaces fill what was read', () => {
    expect(oneLine(`a${' '.repeat(100)}b`, 10)).toBe('a…');
  });
});
