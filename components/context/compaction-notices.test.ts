import { toast } from 'sonner';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { notifyCompaction } from '#components/context/compaction-notices.ts';

const data = {
  compactionId: 'cmp_1',
  tokensBefore: 9_000,
  tokensAfter: 3_000,
  messagesCompacted: 12,
  wasPruned: false,
  wasSummarized: true,
  round: 1,
  strategy: 'reactive',
  durationMs: 900,
};

describe('the word that a conversation was summarized', () => {
  let went: string[];
  let shown: (string | null)[];
  const session = { id: 'ses_1', showCompaction: (id: string | null) => shown.push(id) } as unknown as ChatSession;
  const askWhatWasKept = (pathname: string) => {
    vi.stubGlobal('window', {
      location: { pathname },
      history: { pushState: (_state: unknown, _title: string, path: string) => went.push(path) },
    });
    vi.useFakeTimers();
    vi.stubGlobal('document', { querySelector: () => null });
    notifyCompaction(session, { kind: 'compacted', data });
    vi.runAllTimers();
    vi.useRealTimers();
    const told = toast.getToasts().at(-1) as unknown as { readonly action: { readonly onClick: () => void } };
    told.action.onClick();
  };

  beforeEach(() => {
    went = [];
    shown = [];
    // Sonner calls it when a toast is dismissed.
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => run());
  });
  afterEach(() => {
    toast.dismiss();
    vi.unstubAllGlobals();
  });

  it('leads to what was kept', () => {
    askWhatWasKept('/c/ses_1');
    expect([went, shown]).toEqual([[], ['cmp_1']]);
  });

  it('is one toast for several summaries, with the tokens of the newest', () => {
    vi.stubGlobal('window', { location: { pathname: '/c/ses_1' } });
    vi.stubGlobal('document', { querySelector: () => null });
    vi.useFakeTimers();
    for (const round of [1, 2, 3])
      notifyCompaction(session, {
        kind: 'compacted',
        data: { ...data, round, compactionId: `cmp_many${round}`, tokensAfter: 3_000 + round },
      });
    vi.runAllTimers();
    vi.useRealTimers();
    const shownNow = toast.getToasts().map(({ id, ...rest }) => ({ id, title: 'title' in rest ? rest.title : null }));
    expect(shownNow.filter(({ id }) => String(id).startsWith('cmp_many'))).toEqual([
      { id: 'cmp_many3', title: 'Older messages summarized. Nothing deleted. 9,000 → 3,003 tokens.' },
    ]);
  });

  it('leads back to the conversation whose reader has gone to another one meanwhile', () => {
    askWhatWasKept('/c/ses_2');
    expect([went, shown]).toEqual([['/c/ses_1'], ['cmp_1']]);
  });
});
