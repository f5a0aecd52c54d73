import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FollowedEvent } from '#components/api/follow-events';
import { SessionCompactions, type CompactionNotice } from '#components/chat/session/session-compactions';
import { FakeChatServer } from '#tests/support/fake-chat-server';

const start = {
  id: 1,
  name: 'compaction:start',
  data: { tokensBefore: 9, modelLimit: 9, reason: 'overflow' },
} as const;
const complete = {
  id: 2,
  name: 'compaction:complete',
  data: {
    tokensBefore: 93_400,
    tokensAfter: 21_700,
    messagesCompacted: 40,
    wasPruned: false,
    wasSummarized: true,
    round: 1,
    compactionId: 'cmp_1',
    strategy: 'ledger',
    durationMs: 5,
  },
} as const satisfies FollowedEvent;

describe('the compactions of a session', () => {
  let server: FakeChatServer;
  let compactions: SessionCompactions;
  const since: (number | null)[] = [];
  const notices: CompactionNotice[] = [];
  const lost = vi.fn<() => void>();

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    server = new FakeChatServer();
    vi.stubGlobal('fetch', server.fetch);
    since.length = 0;
    notices.length = 0;
    lost.mockClear();
    compactions = new SessionCompactions('ses_1', (time) => since.push(time), lost);
    compactions.onNotice((notice) => notices.push(notice));
  });
  afterEach(() => {
    compactions.close();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('run since the server says so, also for who comes late', async () => {
    server.compactingSince = 990_000;
    // The replayed stream is faster than the question since when.
    compactions.follow({ phase: 'start', tokensBefore: 9, modelLimit: 9, reason: 'overflow' });
    await compactions.refresh();
    compactions.hear(start);
    expect(since).toEqual([1_000_000, 990_000]);
  });

  it('are told of once they are done, not when the stream repeats it', () => {
    compactions.hear(start);
    compactions.hear(complete);
    compactions.follow({ phase: 'complete', ...complete.data });
    expect(since).toEqual([1_000_000, null]);
    expect(notices).toEqual([{ kind: 'compacted', data: complete.data }]);
  });

  it('do not come back because a question was answered late', async () => {
    server.compactingSince = 990_000;
    compactions.hear(start);
    const asked = compactions.refresh();
    compactions.hear(complete);
    await asked;
    expect(since).toEqual([1_000_000, null]);
  });

  it('do not vanish because a question from before them was answered late', async () => {
    const asked = compactions.refresh();
    compactions.hear(start);
    await asked;
    expect(since).toEqual([1_000_000]);
    expect(lost).not.toHaveBeenCalled();
  });

  it('that end without a word are noticed all the same', async () => {
    server.compactingSince = 990_000;
    await compactions.refresh();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost).not.toHaveBeenCalled();
    server.compactingSince = null;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(since).toEqual([990_000, null]);
    expect(lost).toHaveBeenCalledOnce();
    const asked = server.requests.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toHaveLength(asked);
  });

  it('that are asked for by hand are shown at once, and no longer when nothing came of it', async () => {
    const asked = compactions.compact();
    expect(since).toEqual([1_000_000]);
    expect(await asked).toBe(false);
    expect(since).toEqual([1_000_000, null]);
  });

  it('that are answered late do not hide the next one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.gates.set('POST /api/sessions/ses_1/compact', promise);
    const compacting = compactions.compact();
    compactions.hear(start);
    compactions.hear(complete);
    compactions.hear({ ...start, id: 3 });
    resolve();
    await compacting;
    expect(since.at(-1)).toBe(1_000_000);
  });

  it('that are refused because one runs leave that one on screen', async () => {
    server.compactingSince = 990_000;
    server.refusesNext = true;
    await expect(compactions.compact()).rejects.toThrow('Not now.');
    await vi.advanceTimersByTimeAsync(1);
    expect(since.at(-1)).toBe(990_000);
  });

  it('tell of prunes and undos', () => {
    const pruned = { outputsPruned: 3, tokensSaved: 20_000, prunedTools: [], compactionId: 'cmp_2' };
    compactions.hear({ id: 3, name: 'prune:complete', data: pruned });
    compactions.hear({ id: 4, name: 'compaction:undone', data: { compactionId: 'cmp_2', strategy: 'prune' } });
    expect(notices.map(({ kind }) => kind)).toEqual(['pruned', 'undone']);
    expect(since).toEqual([]);
  });
});
