import { expect, it } from 'vitest';
import { attributeText } from '#server/wordpress/blocks/block-markup';

it.each(['C:\\', 'a\\"b', '\\\\"', 'x -- y <b> & "z"', '\\u0022'])(
  'an attribute is read as it was written: %s',
  (text) => {
    const written = attributeText(text);
    expect(JSON.parse(written)).toBe(text);
    // As PHP's parser finds the end of a comment, and WordPress's own filters undo slashes.
    expect(written).not.toMatch(/--|[<>&]|\\\\/);
  },
);
