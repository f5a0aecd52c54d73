import { describe, expect, it } from 'vitest';
import { SessionReadings } from '#components/admin/session-readings.ts';
import { applyChanges, sortSessions } from '#components/admin/session-rows.ts';
import { defaultView, sortedBy } from '#components/admin/session-list-view.ts';
import type { SessionOverview, SessionState } from '#server/core/conversation/session-overview';

function session(id: string, rest: Partial<SessionOverview> = {}): SessionOverview {
  return {
    id,
    title: id,
    modelId: null,
    ownerId: 'own_local',
    ownerName: null,
    siteId: 'embedded',
    state: 'idle',
    messageCount: 0,
    queued: 0,
    context: null,
    rounds: 0,
    lastCompactionAt: null,
    cost: null,
    createdAt: 0,
    updatedAt: 0,
    ...rest,
  };
}
const ids = (rows: readonly SessionOverview[]) => rows.map((row) => row.id).join(' ');
const filled = (percentUsed: number) => ({ currentTokens: percentUsed * 100, usableTokens: 10_000, percentUsed });

describe('sortSessions', () => {
  it('sorts figures, with unknown ones last in both orders', () => {
    const rows = [session('a', { context: filled(20) }), session('b'), session('c', { context: filled(90) })];
    expect(ids(sortSessions(rows, { sort: 'percent', order: 'desc' }))).toBe('c a b');
    expect(ids(sortSessions(rows, { sort: 'percent', order: 'asc' }))).toBe('a c b');
  });
});

describe('applyChanges', () => {
  const rows = [session('a', { updatedAt: 2 }), session('b', { updatedAt: 1 })];

  it('puts a new session where it belongs, and only counts it where that is not known', () => {
    const changes = new Map([
      ['c', session('c', { updatedAt: 5 })],
      ['d', session('d', { updatedAt: 6 })],
    ]);
    expect(ids(applyChanges(rows, changes, defaultView).rows)).toBe('d c a b');
    expect(ids(applyChanges(rows, changes, sortedBy(defaultView, 'title')).rows)).toBe('a b c d');
    const filtered = applyChanges(rows, changes, { ...defaultView, q: 'x' });
    expect(ids(filtered.rows)).toBe('a b');
    expect(filtered.others).toBe(2);
  });
});

/** Answers that the test releases, in the order of their requests. */
function heldReadings() {
  const answers: ((state: SessionState) => void)[] = [];
  const readings = new SessionReadings(async (id) => {
    const { promise, resolve } = Promise.withResolvers<SessionState>();
    answers.push(resolve);
    return { id, state: await promise } as SessionOverview;
  });
  const states = async (asked: readonly string[]) =>
    [...(await readings.read(asked))].map(([id, found]) => `${id} ${found?.state}`);
  return { readings, states, answer: (index: number, state: SessionState) => answers[index]?.(state) };
}

it('drops a reading that is answered after a later one of the same session', async () => {
  const { states, answer } = heldReadings();
  const early = states(['a', 'b']);
  const late = states(['a']);
  answer(2, 'idle');
  expect(await late).toEqual(['a idle']);
  answer(0, 'compacting');
  answer(1, 'running');
  expect(await early).toEqual(['b running']);
});

it('drops a reading that was asked for before the list and is answered after it', async () => {
  const { readings, states, answer } = heldReadings();
  const early = states(['a']);
  const listed = readings.beforeList();
  const late = states(['b']);
  listed();
  answer(0, 'compacting');
  answer(1, 'running');
  expect(await early).toEqual([]);
  expect(await late).toEqual(['b running']);
});

it('ignores sessions that could not be read, and reports deleted ones', async () => {
  const unread = new SessionReadings(async (id) => (id === 'gone' ? null : undefined));
  expect([...(await unread.read(['gone', 'lost']))]).toEqual([['gone', null]]);
});
