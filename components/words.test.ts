import { expect, it } from 'vitest';
import english from '#messages/en.json' with { type: 'json' };
import { messagePaths } from '#tests/support/icu-messages';

/** Parts of the messages for people who set up the server: they use the terms of the engine. */
const TECHNICAL = /^(?:server|admin|settings|strategies|tools)\./;

it('screens for everybody do not say sessions, compactions or prunes', () => {
  const wrong = messagePaths(english).filter(
    ([path, text]) =>
      !TECHNICAL.test(path) && /\b(?:sessions?|compact(?:s|ed|ions?)?|prun(?:es?|ed|ing))\b/i.test(text),
  );
  expect(wrong).toEqual([]);
});
