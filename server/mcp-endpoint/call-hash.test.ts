import { expect, it } from 'vitest';
import { callHash } from '#server/mcp-endpoint/tool-calls';

it('is the same for the same call, however its fields are ordered, and for no other', () => {
  const hash = callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: [{ a: 1, b: 2 }] });
  expect(callHash('key_1', 'embedded', 'publish_content', { with: [{ b: 2, a: 1 }], ref: 'about' })).toBe(hash);
  const others = [
    callHash('key_1', 'wps_1', 'publish_content', { ref: 'about', with: [{ a: 1, b: 2 }] }),
    callHash('key_2', 'embedded', 'publish_content', { ref: 'about', with: [{ a: 1, b: 2 }] }),
    callHash('key_1', 'embedded', 'delete_content', { ref: 'about', with: [{ a: 1, b: 2 }] }),
    callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: [{ a: 2, b: 1 }] }),
    callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: { fields: [['a', 1]] } }),
    callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: { a: 1 } }),
    callHash('key_1', 'embedded', 'publish_content', {
      ref: 'about',
      with: [
        [
          ['a', 1],
          ['b', 2],
        ],
      ],
    }),
  ];
  expect(new Set([hash, ...others]).size).toBe(others.length + 1);
});
