import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '#server/core/ledger';
import { type SummaryFacts, composeLedgerSummary, composeNarrativeSummary } from '#server/context/compose-summary';
import { countTokens } from '#server/context/tokens';
import { call, editingHistory, result, storedMessages, text } from '#tests/support/arbitrary-history';

const ledger: LedgerEntry[] = ['Home', 'Pricing'].map((title, at) => ({
  kind: 'page',
  id: `pag_${at}`,
  slug: title.toLowerCase(),
  title,
  action: 'create',
  summary: `Created "${title}"`,
  undone: false,
  at,
}));
const messages = storedMessages([
  { role: 'user', parts: [text('Build a site for a pottery. Never use blue.')] },
  { role: 'assistant', parts: [call('c1', 'create_content')] },
  { role: 'tool', parts: [{ type: 'tool-result', content: { toolCallId: 'c1', toolName: 'create_content', output: { type: 'error-text', value: 'The slug is taken.' } } }] }, // prettier-ignore
  { role: 'assistant', parts: [call('c2', 'create_content')] },
  { role: 'tool', parts: [result('c2', 'pag_1', 'create_content')] },
  { role: 'assistant', parts: [text('I made Home.')] },
  { role: 'user', parts: [text('Now Pricing')] },
]);
const facts: SummaryFacts = { round: 3, messages, ledger, tokens: 2_000 };

describe('composeLedgerSummary', () => {
  it('holds every fact in its section', () => {
    expect(composeLedgerSummary(facts)).toBe(
      `## Session Summary (Compaction Round 3)

### Original Task
Build a site for a pottery. Never use blue.

### What Was Accomplished
- page "Home" (pag_0, /home): created
- page "Pricing" (pag_1, /pricing): created

The user asked, in this order:
- Build a site for a pottery. Never use blue.
- Now Pricing

### Current State
The assistant's last words: I made Home.

### User Preferences
- Never use blue.

### What Comes Next
Continue with the newest request of the user after this summary.

### Technical Context
Tools used: create_content 2x.

### Errors & Resolutions
- create_content: The slug is taken.`,
    );
  });

  it('fits its tokens whatever is said, in every script', () => {
    const said = fc.oneof(
      fc
        .constantFrom('陶芸教室のサイトを作ってください。', '🧑‍🎨🏺', 'የሸክላ ስራ ')
        .chain((word) => fc.integer({ min: 1, max: 300 }).map((times) => word.repeat(times))),
      fc.lorem({ maxCount: 200 }).map((words) => `Always ${words}.`),
    );
    fc.assert(
      fc.property(
        fc.array(said, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 300, max: 2_000 }),
        (texts, tokens) => {
          const history = storedMessages(
            texts.flatMap((value) => [
              { role: 'user' as const, parts: [text(value)] },
              { role: 'assistant' as const, parts: [call('c', 'tool_of_some_name'), text(value)] },
            ]),
          );
          expect(countTokens(composeLedgerSummary({ ...facts, messages: history, tokens }))).toBeLessThanOrEqual(
            tokens,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps the ledger beside an original request that is larger than the whole summary', () => {
    const huge = storedMessages([{ role: 'user', parts: [text('陶芸教室のサイトを作る。'.repeat(2_000))] }]);
    const summary = composeLedgerSummary({ ...facts, messages: huge, tokens: 800 });
    expect(summary).toContain('- page "Pricing" (pag_1, /pricing): created');
    expect(summary).toContain('characters left out');
  });

  it('is the same for the same facts, however often it is made', () => {
    fc.assert(
      fc.property(editingHistory, (history) => {
        const once = composeLedgerSummary({ ...facts, messages: history });
        expect(composeLedgerSummary({ ...facts, messages: structuredClone(history) })).toBe(once);
      }),
      { numRuns: 20 },
    );
  });
});

describe('composeNarrativeSummary', () => {
  it('adds what code keeps exactly, and leaves one Original Task: the verbatim one', () => {
    const summary = composeNarrativeSummary('### Original Task\nA site.\n### Current State\nFine.', facts);
    expect(summary).toBe(
      `## Session Summary (Compaction Round 3)

### Original Task
Build a site for a pottery. Never use blue.

### The Task As Understood
A site.
### Current State
Fine.

### Standing Instructions (verbatim)
- Never use blue.

### Ledger (exact record of what was done)
- page "Home" (pag_0, /home): created
- page "Pricing" (pag_1, /pricing): created`,
    );
  });

  it('says how many lines of the ledger did not fit, the newest stay', () => {
    const many = Array.from({ length: 200 }, (_, at) => ({ ...ledger[0]!, id: `pag_${at}`, title: `Page ${at}`, at }));
    const summary = composeNarrativeSummary('Short.', { ...facts, ledger: many, tokens: 700 });
    expect(summary).toMatch(/- \(\d+ earlier things not shown\)\n/);
    expect(summary).toMatch(/- page "Page 199" .*$/);
  });
});
