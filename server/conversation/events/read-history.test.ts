import { expect, it } from 'vitest';
import { groupCheckpoints, readHistory } from '#server/conversation/events/read-history';
import { restoreStepId } from '#server/core/ids';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';

const answer = (turnId: string): ChangeOrigin => ({ actor: 'assistant', sessionId: 'ses_1', turnId });
const hand: ChangeOrigin = { actor: 'user', userId: 'own_1', userName: 'Ada' };

function change(number: number, origin: ChangeOrigin, rest: Partial<ChangeSet> = {}): ChangeSet {
  return {
    id: `chg_${number}`,
    targetType: 'page',
    targetId: 'pag_1',
    slug: 'home',
    title: 'Home',
    revision: number,
    action: 'update',
    operations: [],
    inverse: [],
    summary: `Changed ${number}`,
    summaryMessage: null,
    origin,
    undoneBy: null,
    createdAt: 1_700_000_000_000 + number * 1000,
    ...rest,
  };
}

const summary = (number: number, rest: Partial<CompactionRecord> = {}) =>
  ({
    id: `cmp_${number}`,
    strategy: 'ledger',
    status: 'completed',
    summaryMessageId: `msg_${number}`,
    createdAt: 1_700_000_000_000 + number * 1000,
    ...rest,
  }) as CompactionRecord;

const idsOf = (changes: readonly ChangeSet[]) =>
  groupCheckpoints(changes.toReversed(), []).map(({ id, changes: own }) => [id, own.map((one) => one.id)]);

it('makes one checkpoint of an answer, in the order of its work, and one of each manual step', () => {
  const changes = [change(1, answer('trn_1')), change(2, hand), change(3, answer('trn_1')), change(4, answer('trn_2'))];
  expect(idsOf(changes)).toEqual([
    ['trn_2', ['chg_4']],
    ['trn_1', ['chg_1', 'chg_3']],
    ['chg_2', ['chg_2']],
  ]);
  const [, , byHand] = groupCheckpoints(changes.toReversed(), []);
  expect(byHand).toMatchObject({ kind: 'hand', who: { actor: 'user', userName: 'Ada' }, turnId: null });
});

it('puts summaries in their place, and leaves out prunes and what was undone or failed', () => {
  const records = [
    summary(2),
    summary(3, { strategy: 'prune' }),
    summary(4, { status: 'undone' }),
    summary(5, { status: 'failed' }),
    summary(9),
  ];
  const knots = groupCheckpoints([change(3, answer('trn_2')), change(1, answer('trn_1'))], records);
  expect(knots.map(({ id }) => id)).toEqual(['cmp_9', 'trn_2', 'cmp_2', 'trn_1']);
  expect(knots[0]).toMatchObject({ kind: 'summary', messageId: 'msg_9', changes: [] });
});

it('has no checkpoint for a manual undo; the undone checkpoint is marked', () => {
  const changes = [
    change(1, answer('trn_1'), { undoneBy: 'chg_2' }),
    change(2, { actor: 'user', sessionId: 'ses_1' }, { action: 'undo' }),
    change(3, answer('trn_2'), { action: 'undo' }),
  ];
  expect(idsOf(changes)).toEqual([
    ['trn_2', ['chg_3']],
    ['trn_1', ['chg_1']],
  ]);
  expect(groupCheckpoints(changes.toReversed(), [])[1]?.changes[0]?.undoneBy).toBe('chg_2');
});

it('knows what a restore removes while it stands, never a publication', () => {
  const step = { ...hand, sessionId: 'ses_1', toolCallId: restoreStepId('chg_2', 'a') };
  const later = [
    change(1, answer('trn_1')),
    change(2, answer('trn_1')),
    change(3, answer('trn_2')),
    change(4, answer('trn_2'), { targetId: 'pag_2' }),
    change(5, answer('trn_3'), { action: 'publish' }),
  ];
  const takenAlong = (back: ChangeSet) =>
    groupCheckpoints([...later, back].toReversed(), [])
      .flatMap(({ changes }) => changes)
      .filter(({ isTakenAlong }) => isTakenAlong)
      .map(({ id }) => id);
  expect(takenAlong(change(6, step))).toEqual(['chg_3']);
  expect(takenAlong(change(6, step, { undoneBy: 'chg_7' }))).toEqual([]);
});

it('makes one checkpoint of a restore of several entries', () => {
  const step = { ...hand, sessionId: 'ses_1', toolCallId: restoreStepId('chg_1', 'a') };
  const changes = [change(1, answer('trn_1')), change(2, step), change(3, step, { targetId: 'pag_2' })];
  expect(idsOf(changes).map(([, own]) => own)).toEqual([['chg_2', 'chg_3'], ['chg_1']]);
});

it('is read in pages, with the words of the requests and the manual changes in place', async () => {
  const elsewhere = { targetId: 'pag_9' };
  const changes = [
    change(1, answer('trn_1')),
    change(2, hand),
    change(3, hand, elsewhere),
    change(4, { ...hand, userId: 'own_2' }, elsewhere),
    change(5, { ...hand, userId: 'own_2' }),
    change(6, hand, { ...elsewhere, createdAt: 1_700_000_000_000 + 24 * 3_600_000 }),
  ].toReversed();
  const session = { id: 'ses_1', ownerId: 'own_1', createdAt: 1_700_000_000_000 };
  const sources = {
    content: { changes: async () => changes },
    compactions: { list: async () => [] },
    requestsOf: async () => new Map([['trn_1', { messageId: 'msg_1', words: 'Make it warm' }]]),
  };
  const first = await readHistory(sources, session, { limit: 3 });
  expect(first).toMatchObject({ total: 4, nextCursor: 'chg_2' });
  expect(first.items.map(({ id }) => id)).toEqual(['chg_5', 'chg_3', 'chg_2']);
  const second = await readHistory(sources, session, { limit: 3, cursor: 'chg_2' });
  expect(second).toMatchObject({
    nextCursor: null,
    items: [{ id: 'trn_1', messageId: 'msg_1', words: 'Make it warm' }],
  });
  // From the newest again, it would never end.
  await expect(readHistory(sources, session, { limit: 3, cursor: 'chg_9' })).rejects.toThrow(/Start again without/);
});
