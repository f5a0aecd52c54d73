import { describe, expect, it } from 'vitest';
import { composeNote, leastNote } from '#server/context/compose-summary';
import type { SummaryFacts } from '#server/context/summary-facts';
import { countTokens } from '#server/context/tokens';
import { storedMessages, text } from '#tests/support/arbitrary-history';

const messages = storedMessages([
  { role: 'user', parts: [text('Build a site for my bakery. Never use blue.')] },
  { role: 'assistant', parts: [text('Gladly.')] },
]);
const facts: SummaryFacts = { round: 2, messages, ledger: [], tokens: 500, usableTokens: 12_000 };

describe('composeNote', () => {
  it('says how many messages it stands for, and what code keeps', () => {
    const note = composeNote(facts, 9);
    expect(note.startsWith(leastNote(2, 9))).toBe(true);
    expect(note).toContain('### Original Task\nBuild a site for my bakery.');
    expect(note).toContain('- Never use blue.');
  });

  it('does not repeat a first request that the view shows anyway, nor speak of one that comes later', () => {
    expect(composeNote({ ...facts, kept: messages.slice(0, 1) }, 9)).not.toContain('Original Task');
    expect(composeNote({ ...facts, messages: messages.slice(1) }, 9)).not.toContain('Original Task');
  });

  it('is as long as there is room for, and says nothing more where there is none', () => {
    for (let maxTokens = 0; maxTokens < 400; maxTokens += 7) {
      const note = composeNote({ ...facts, maxTokens }, 9);
      if (note !== leastNote(2, 9)) expect(countTokens(note)).toBeLessThanOrEqual(maxTokens);
    }
    expect(composeNote({ ...facts, maxTokens: -10 }, 9)).toBe(leastNote(2, 9));
    expect(composeNote({ ...facts, maxTokens: 399 }, 9)).toBe(composeNote(facts, 9));
  });
});
