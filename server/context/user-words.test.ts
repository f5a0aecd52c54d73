import { describe, expect, it } from 'vitest';
import { collectUserWords } from '#server/context/user-words';
import { NOTE_LABEL } from '#server/context/view';
import { storedMessages, text } from '#tests/support/arbitrary-history';

const wordsOf = (...texts: string[]) =>
  collectUserWords(storedMessages(texts.map((value) => ({ role: 'user' as const, parts: [text(value)] }))));

describe('collectUserWords', () => {
  it('keeps the first request and all others verbatim, in order', () => {
    const words = wordsOf('Build a site for  a pottery.\nThanks!', 'Add a page');
    expect(words.original).toBe('Build a site for  a pottery.\nThanks!');
    expect(words.requests).toEqual(['Build a site for  a pottery.\nThanks!', 'Add a page']);
  });

  it('finds standing instructions in the middle of requests, each once, verbatim', () => {
    const words = wordsOf(
      'Add a page. Never use blue! Publish it.',
      'never mind that. From now on write "you", not "we".\nAlways use British spelling',
      'Do it again. Never use blue!',
    );
    expect(words.standing).toEqual([
      'Never use blue!',
      'never mind that.',
      'From now on write "you", not "we".',
      'Always use British spelling',
    ]);
  });

  it('takes no questions and no pasted walls of text for instructions', () => {
    expect(wordsOf('Do you always publish?', `always ${'x'.repeat(500)}`).standing).toEqual([]);
  });

  it('counts neither the assistant nor the engine as the user', () => {
    const words = collectUserWords(
      storedMessages([
        { role: 'user', parts: [text(`${NOTE_LABEL} Always continue.`)] },
        { role: 'assistant', parts: [text('I always do.')] },
        { role: 'user', parts: [text('   ')] },
      ]),
    );
    expect(words).toEqual({ original: null, standing: [], requests: [] });
  });
});
