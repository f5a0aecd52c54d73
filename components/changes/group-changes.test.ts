import { describe, expect, it } from 'vitest';
import {
  canUndo,
  countUndoable,
  groupByDay,
  groupByTurn,
  wordsByTurn,
  writtenSections,
} from '#components/changes/group-changes';
import type { ChangeSet } from '#server/core/content';

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
    origin: { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1' },
    undoneBy: null,
    createdAt: 0,
    ...rest,
  };
}

const inTurn = (turnId?: string) => ({ origin: { actor: 'assistant' as const, sessionId: 'ses_1', turnId } });

describe('groupByTurn', () => {
  it('has the newest turn first and the order of the work within it', () => {
    const changes = [change('d', inTurn('trn_2')), change('c', inTurn('trn_2')), change('b'), change('a')];
    expect(groupByTurn(changes).map(({ turnId, changes: own }) => [turnId, own.map(({ id }) => id)])).toEqual([
      ['trn_2', ['c', 'd']],
      ['trn_1', ['a', 'b']],
    ]);
  });

  it('leaves out what the user took back beside the conversation, but not what the assistant took back', () => {
    const changes = [
      change('undo by hand', { action: 'undo', origin: { actor: 'user', sessionId: 'ses_1' } }),
      change('undo by tool', { action: 'undo' }),
      change('a', { undoneBy: 'undo by hand' }),
    ];
    expect(groupByTurn(changes).flatMap((group) => group.changes.map(({ id }) => id))).toEqual(['a', 'undo by tool']);
  });

  it('keeps what was made without a turn together', () => {
    expect(groupByTurn([change('a', inTurn())])).toMatchObject([{ turnId: null, changes: [{ id: 'a' }] }]);
  });
});

it('groups the whole site by day', () => {
  const noon = new Date(2026, 2, 4, 12).getTime();
  const changes = [change('c', { createdAt: noon + 86_400_000 }), change('b', { createdAt: noon }), change('a', { createdAt: noon - 3_600_000 })]; // prettier-ignore
  expect(groupByDay(changes).map((group) => group.changes.map(({ id }) => id))).toEqual([['c'], ['b', 'a']]);
});

it('counts what can be taken back', () => {
  const changes = [change('a'), change('b', { undoneBy: 'c' }), change('c', { action: 'undo' })];
  expect(changes.map(canUndo)).toEqual([true, false, false]);
  expect(countUndoable(changes)).toBe(1);
});

it('finds what the user said in a turn', () => {
  const say = (role: 'user' | 'assistant', text: string, turnId?: string) => ({
    id: text,
    role,
    parts: [{ type: 'text' as const, text }],
    metadata: turnId === undefined ? {} : { turnId },
  });
  const words = wordsByTurn([
    say('user', 'Make a page', 'trn_1'),
    say('assistant', 'Done', 'trn_1'),
    // Sent from here and not loaded since: only its answer knows the turn.
    say('user', 'And a post'),
    say('assistant', 'Done too', 'trn_2'),
  ]);
  expect([...words]).toEqual([
    ['trn_1', 'Make a page'],
    ['trn_2', 'And a post'],
  ]);
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
