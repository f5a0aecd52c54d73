import { describe, expect, it } from 'vitest';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { readLedger } from '#server/content/site-lists';
import type { ChangeOrigin } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { createContentRepository } from '#server/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const session: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1' };
const editor: ChangeOrigin = { actor: 'user' };

describe('readLedger', () => {
  it('gives the changes of one session, oldest first, with what changed and the call that did it', async () => {
    await using db = await createTestDatabase();
    // One clock tick for all: changes of the same millisecond keep their order.
    const site = createEmbeddedContentBackend(createContentRepository(db), { now: () => 1_000 });
    const { entry } = await site.create({ type: 'page', title: 'Prices' }, { ...session, toolCallId: 'call_1' });
    await site.create({ type: 'page', title: 'Not ours' }, editor);
    const section = { id: 'sec_k7m2p9', type: 'faq' as const, fields: {} };
    await site.patch(entry.id, [{ op: 'insert-section', section }], session);
    await site.undoAll({ sessionId: 'ses_1' }, { ...editor, sessionId: 'ses_1' });

    const ledger = await readLedger(site, 'ses_1');

    expect(ledger.slice(0, 2)).toMatchObject([
      {
        kind: 'page',
        id: entry.id,
        summary: 'Created the page "Prices"',
        toolCallId: 'call_1',
        undone: true,
        at: 1_000,
      },
      { kind: 'page', id: entry.id, summary: 'Added a FAQ section to "Prices"', undone: true },
    ]);
    expect(ledger.slice(2).every(({ action }) => action === 'undo')).toBe(true);
  });

  it('says what texts were and are now, of long ones from where they differ', async () => {
    await using db = await createTestDatabase();
    const site = createEmbeddedContentBackend(createContentRepository(db));
    const items = [{ question: 'When?', answer: 'At nine.' }];
    const faq = { id: 'sec_k7m2p9', type: 'faq' as const, fields: { heading: 'Questions', items } };
    const { entry } = await site.create({ type: 'page', title: 'Prices', sections: [faq] }, session);
    const sectionId = entry.draft.sections[0]!.id;
    const set = (fields: Record<string, JsonValue>) =>
      site.patch(entry.id, [{ op: 'set-section', sectionId, fields }], session);
    await set({ items: [{ question: 'When?', answer: 'At nine o’clock.' }] });
    await set({ heading: 'Your questions' });
    const ledger = await readLedger(site, 'ses_1');
    expect(ledger.slice(1).map(({ summary }) => summary)).toEqual([
      expect.stringMatching(/ \(answer from "At nine\." to "At nine o’clock\."\)$/),
      expect.stringMatching(/ \(heading from "Questions" to "Your questions"\)$/),
    ]);
  });
});
