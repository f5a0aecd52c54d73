import { describe, expect, it } from 'vitest';
import { composeNote, leastNote } from '#server/context/compose-summary';
import { countTokens } from '#server/context/tokens';
import { storedMessages, text } from '#tests/support/arbitrary-history';
import { factsOf, pageChange } from '#tests/support/summary-facts';

const messages = storedMessages([
  { role: 'user', parts: [text('Build a site for my bakery.')] },
  { role: 'assistant', parts: [text('Gladly.')] },
  { role: 'user', parts: [text('Nie Blau nehmen.')] },
]);
const facts = await factsOf(messages, { round: 2, journal: [pageChange()] });

describe('composeNote', () => {
  it('says how many messages it stands for, and what code keeps', () => {
    const note = composeNote(facts, 9);
    expect(note.startsWith(leastNote(2, 9))).toBe(true);
    expect(note).toContain('### Original Task\nBuild a site for my bakery.');
    expect(note).toContain('- pag_k7m2p9: Created the page "Rye" (rye)\n2. User: Nie Blau nehmen.');
    expect(note).not.toContain('None.');
  });

  it('does not repeat a first request that the view shows anyway', () => {
    const note = composeNote({ ...facts, kept: messages.slice(0, 1) }, 9);
    expect(note).not.toContain('bakery');
    expect(note).toContain('(The first request stands in full among the messages.)');
  });

  it('is as long as there is room for, and says nothing more where there is none', () => {
    for (let tokens = 0; tokens < 400; tokens += 7) {
      const note = composeNote({ ...facts, tokens }, 9);
      if (note !== leastNote(2, 9)) expect(countTokens(note)).toBeLessThanOrEqual(tokens);
    }
    expect(composeNote({ ...facts, tokens: -10 }, 9)).toBe(leastNote(2, 9));
    expect(composeNote({ ...facts, tokens: 600 }, 9)).toBe(composeNote(facts, 9));
  });
});
