import { describe, expect, it } from 'vitest';
import { collectUserWords } from '#server/context/user-words';
import { NOTE_LABEL } from '#server/core/engine-words';
import { storedMessages, text } from '#tests/support/arbitrary-history';

const asked = (...requests: string[]) =>
  collectUserWords(storedMessages(requests.map((request) => ({ role: 'user', parts: [text(request)] }))));

describe('collectUserWords', () => {
  it('knows the first request and all others, notes of the engine left out', () => {
    const stored = storedMessages(
      ['Build a site.', `${NOTE_LABEL} Continue. Never repeat.`, 'Add a page.'].map((words) => ({
        role: 'user',
        parts: [text(words)],
      })),
    ).map((message, index) => (index === 1 ? { ...message, parentId: 'msg_0' } : message));
    const words = collectUserWords(stored);
    expect(words.original?.parts[0]?.content).toEqual({ text: 'Build a site.' });
    expect(words.requests).toEqual(['Build a site.', 'Add a page.']);
    expect(words.standing).toEqual([]);
  });

  it('has every instruction once, in the order in which they were last said', () => {
    const words = asked(
      'Always use blue.',
      'Never use red.',
      'Make it shorter. Add a page.',
      'Never use blue!',
      'always  use BLUE',
    );
    expect(words.standing).toEqual(['Never use red.', 'Make it shorter.', 'Never use blue!', 'always  use BLUE']);
  });

  it('has nothing of a session without requests', () => {
    expect(asked()).toEqual({ original: null, standing: [], requests: [] });
  });
});
