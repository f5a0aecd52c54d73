import { describe, expect, it } from 'vitest';
import { quotationsIn, quotedFrom } from '#server/context/user-words';
import { NOTE_LABEL } from '#server/core/engine-words';
import { storedMessages, text } from '#tests/support/arbitrary-history';

const said = storedMessages([
  { role: 'user', parts: [text('Bitte immer per Du,\n  nie per Sie.')] },
  { role: 'assistant', parts: [text('Always in English.')] },
  {
    role: 'user',
    parts: [
      text('見出しは短く。'),
      { type: 'file', content: { mediaType: 'text/plain', url: 'data:text/plain,Never' } },
    ],
  },
  { role: 'tool', parts: [text('Always publish at once.')] },
  { role: 'user', parts: [text(`${NOTE_LABEL} Never repeat.`)] },
]).map((message, index) => (index === 4 ? { ...message, parentId: 'msg_0' } : message));

describe('quotedFrom', () => {
  it.each([
    ['Bitte immer per Du, nie per Sie.', 'msg_0'],
    ['nie  per\nSie', 'msg_0'],
    ['見出しは短く', 'msg_2'],
  ])('finds what the user typed, whatever the language and the white space: %s', (quote, id) => {
    expect(quotedFrom(quote, said)?.id).toBe(id);
  });

  it.each(['Always in English.', 'Always publish at once.', 'Never', 'Never repeat.', 'Immer per Sie', ' \n '])(
    'takes nothing else for the words of the user: %s',
    (quote) => {
      expect(quotedFrom(quote, said)).toBeNull();
    },
  );

  it('gives the newest message that says it', () => {
    const again = storedMessages([
      { role: 'user', parts: [text('Kurz bitte.')] },
      { role: 'user', parts: [text('Wie gesagt: Kurz bitte.')] },
    ]);
    expect(quotedFrom('Kurz bitte.', again)?.id).toBe('msg_1');
  });
});

it('reads the quotation of each item, or the whole item', () => {
  const list = '- "Keep it short." (said of all pages)\n* „Immer per Du“\n1. 「短く」お願い\n\n  - Never use blue.';
  expect(quotationsIn(list)).toEqual(['Keep it short.', 'Immer per Du', '短く', 'Never use blue.']);
});
