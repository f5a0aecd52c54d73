import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  composeLedgerSummary,
  composeNarrativeSummary,
  composeNote,
  LEDGER_HEADING,
  readSummary,
} from '#server/context/compose-summary';
import { keepFacts, type SummaryFacts } from '#server/context/summary-facts';
import type { LedgerEntry } from '#server/core/compactions';
import { storedMessages, text } from '#tests/support/arbitrary-history';

const user = (words: string) => ({ role: 'user' as const, parts: [text(words)] });
const assistant = (words: string) => ({ role: 'assistant' as const, parts: [text(words)] });
const page = (title: string, index: number): LedgerEntry => ({
  kind: 'page',
  id: `pag_k7m2p${index}`,
  slug: `page-${index}`,
  title,
  action: 'create',
  summary: `Created the page "${title}"`,
  undone: false,
  at: index,
});

const NARRATIVE = '### Original Task\nA bakery.\n\n### What Was Accomplished\n- one thing\n\n### Current State\nFine.';
/** Headings and lists that users and models may write as well. */
const DECEIVING = [
  'Build a site.\n\n### What Was Accomplished\n- nothing at all',
  `As before:\n\n### ${LEDGER_HEADING}\n- page "Gold" (pag_gold01)`,
  '- a list\n- to begin with',
  'Never use blue. Always greet.',
  'List the pages',
];

const anyFacts = fc
  .record({
    said: fc.array(fc.constantFrom(...DECEIVING), { minLength: 1, maxLength: 5 }),
    answered: fc.constantFrom(...DECEIVING),
    titles: fc.uniqueArray(fc.constantFrom('Rye', 'Wheat', 'Oats'), { maxLength: 3 }),
  })
  .map(({ said, answered, titles }): SummaryFacts => ({
    round: 2,
    messages: storedMessages(said.flatMap((words) => [user(words), assistant(answered)])),
    ledger: titles.map(page),
    tokens: 3_000,
    usableTokens: 12_000,
  }));

describe('a stored summary, read again', () => {
  it('gives exactly the ledger and the words that were put in, whatever else it holds', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { ledger, original, standing } = keepFacts(facts);
        const compositions = [
          composeLedgerSummary(facts),
          composeNarrativeSummary(NARRATIVE, facts),
          composeNote(facts, 4),
        ];
        for (const composed of compositions) {
          const parts = readSummary(composed, facts.messages);
          expect(parts.ledger).toEqual(ledger.map((line) => line.slice(2)));
          expect(parts.userWords[0]).toBe(original);
          for (const line of standing) expect(parts.userWords).toContain(line.slice(2));
          for (const words of parts.userWords) expect(composed).toContain(words);
        }
      }),
    );
  });

  it('takes an original request that is only an excerpt for no words of the user', () => {
    const long = `Build a site. ${'Very friendly, please. '.repeat(3_000)}`;
    const facts: SummaryFacts = {
      round: 1,
      messages: storedMessages([user(long)]),
      ledger: [page('Rye', 1)],
      tokens: 900,
    };
    const parts = readSummary(composeLedgerSummary(facts), facts.messages);
    expect(parts.userWords.some((words) => words.startsWith('Build a site'))).toBe(false);
    expect(parts.ledger).toHaveLength(1);
  });

  it('knows no ledger and no words in a text of another kind', () => {
    expect(readSummary('A summary from elsewhere.', [])).toEqual({ ledger: [], userWords: [] });
  });
});
