import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { PrefixHashes } from '#server/integrations/openai/prefix-hashes';

it.each([10, 200_000])('hashes a message of %i characters as earlier versions did', (length) => {
  const part = { type: 'text', content: { text: 'ö'.repeat(length) } } as const;
  const canonical = JSON.stringify(['user', [['text', part.content]]]);
  const expected = hash('sha256', hash('sha256', 'usr_1') + canonical);
  expect(new PrefixHashes('usr_1').add({ role: 'user', parts: [part] })).toBe(expected.slice(0, 32));
});
