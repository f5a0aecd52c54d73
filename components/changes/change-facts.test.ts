import { expect, it } from 'vitest';
import { canUndo, groupByDay } from '#components/changes/change-facts.ts';
import { writtenSections } from '#components/changes/changed-places.ts';
import type { ChangeSet } from '#server/core/site/changes';

function change(id: string, rest: Partial<ChangeSet> = {}): ChangeSet {
  return {
    id,
    targetType: 'page',
    targetId: 'pag_1',
    slug: 'home',
    title: 'Home',
    revision: 1,
    action: 'update',
    operations: [],
    inverse: [],
    summary: `Changed ${id}`,
    summaryMessage: null,
    origin: { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1' },
    undoneBy: null,
    createdAt: 0,
    ...rest,
  };
}

it('groups the whole site by day', () => {
  const noon = new Date(2026, 2, 4, 12).getTime();
  const changes = [change('c', { createdAt: noon + 86_400_000 }), change('b', { createdAt: noon }), change('a', { createdAt: noon - 3_600_000 })]; // oxfmt-ignore
  expect(groupByDay(changes).map((group) => group.changes.map(({ id }) => id))).toEqual([['c'], ['b', 'a']]);
});

it('counts the changes that can be undone', () => {
  const changes = [change('a'), change('b', { undoneBy: 'c' }), change('c', { action: 'undo' })];
  expect(changes.map(canUndo)).toEqual([true, false, false]);
});

it('marks the sections that were written, not those that are gone', () => {
  const operations: ChangeSet['operations'] = [
    { op: 'set', field: 'title', value: 'New' },
    { op: 'set-section', sectionId: 'sec_1', fields: { heading: 'Hi' } },
    { op: 'insert-section', section: { id: 'sec_2', type: 'text', fields: {} } },
    { op: 'move-section', sectionId: 'sec_1', index: 0 },
    { op: 'remove-section', sectionId: 'sec_3' },
  ];
  const other = change('other', {
    targetId: 'pag_2',
    operations: [{ op: 'move-section', sectionId: 'sec_9', index: 0 }],
  });
  expect(writtenSections([change('a', { operations }), other], 'pag_1')).toEqual(['sec_1', 'sec_2']);
});
