import { expect, it } from 'vitest';
import { PendingValues } from '#components/editor/model/pending-values.ts';
import { operationsFor, sameValue, valueAt, withValue } from '#components/editor/model/places.ts';
import type { EntryDocument } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';

const document: EntryDocument = {
  title: 'Prices',
  slug: 'prices',
  sections: [{ id: 'sec_faq', type: 'faq', fields: { items: [{ question: 'Old?', answer: 'Yes.' }] } }],
};
const at = (field: string) => ({ sectionId: 'sec_faq', field });
const list = (...questions: string[]): JsonValue => questions.map((question) => ({ question, answer: 'Yes.' }));

/** Saves what waits, the oldest first, as the editor does. Null: one was written over something else. */
function savedAll(pending: PendingValues, start: EntryDocument): EntryDocument | null {
  let saved = start;
  for (const { place, value, base } of pending.sendable) {
    const present = valueAt(saved, place);
    if (!sameValue(present, value) && !sameValue(present, base)) return null;
    expect(operationsFor(saved, place, value)).toHaveLength(1);
    saved = withValue(saved, place, value);
  }
  return saved;
}

it('a list that changes right after one of its texts is no conflict with oneself', () => {
  const pending = new PendingValues(() => null);
  pending.write(document, at('items.0.question'), 'New?');
  pending.write(document, at('items'), list('Added?', 'New?'));
  const saved = savedAll(pending, document);
  expect(saved && valueAt(saved, at('items'))).toEqual(list('Added?', 'New?'));
});

it('text typed into a list that waits to be saved stays in its item when the list moves it', () => {
  const pending = new PendingValues(() => null);
  pending.write(document, at('items'), list('Added?', 'Old?'));
  pending.write(document, at('items.1.question'), 'New?');
  pending.write(document, at('items'), list('New?', 'Added?'));
  const saved = savedAll(pending, document);
  expect(saved && valueAt(saved, at('items'))).toEqual(list('New?', 'Added?'));
});

it('what is typed letter by letter into an empty place is written over nothing', () => {
  const pending = new PendingValues(() => null);
  for (const text of ['N', 'Ne', 'New']) pending.write(document, at('heading'), text);
  const saved = savedAll(pending, document);
  expect(saved && valueAt(saved, at('heading'))).toBe('New');
});
