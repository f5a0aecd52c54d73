import { describe, expect, it } from 'vitest';
import { quotationsIn, quotedFrom } from '#server/context/record';
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
  { role: 'user', parts: [text('Don’t say “cheap”.')] },
]).map((message, index) => (index === 4 ? { ...message, parentId: 'msg_0' } : message));

describe('quotedFrom', () => {
  it.each([
    ['Bitte immer per Du, nie per Sie.', 'msg_0'],
    ['nie  per\nSie', 'msg_0'],
    ['見出しは短く', 'msg_2'],
    ['Don\'t say "cheap"', 'msg_5'],
  ])('finds what the user typed, whatever the language white space and marks that a phone sets: %s', (quote, id) => {
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

describe('quotationsIn', () => {
  it.each([
    ['- "Keep it short." (said of all pages)', 'Keep it short.'],
    ['* „Immer per Du“', 'Immer per Du'],
    ['1. 「短く」お願い', '短く'],
    ['- The user said: **"Keep it short."**', 'Keep it short.'],
    ['- "Call it "Krapfen", never "Berliner"."', 'Call it "Krapfen", never "Berliner".'],
  ])('reads what %s quotes, to its last mark', (item, quote) => {
    expect(quotationsIn(item)[0]?.[1]).toBe(quote);
  });

  it.each(['Never use blue.', 'Call it "Krapfen", never "Berliner".'])(
    'takes an item for the words of the user first, whatever it quotes itself: %s',
    (words) => {
      expect(quotationsIn(`  - ${words}`)).toEqual([[words, words]]);
    },
  );
});
