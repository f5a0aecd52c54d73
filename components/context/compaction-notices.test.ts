import { toast } from 'sonner';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatSession } from '#components/chat/session/chat-session';
import { drawToasts } from '#components/toast';
import { tellOfCompaction } from '#components/context/compaction-notices';

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
    drawToasts(toast);
    tellOfCompaction(session, { kind: 'compacted', data });
    vi.runAllTimers();
    vi.useRealTimers();
    const told = toast.getToasts().at(-1) as unknown as { readonly action: { readonly onClick: () => void } };
    told.action.onClick();
  };

  beforeEach(() => {
    went = [];
    shown = [];
  });
  afterEach(() => {
    toast.dismiss();
    vi.unstubAllGlobals();
  });

  it('leads to what was kept', () => {
    askWhatWasKept('/c/ses_1');
    expect([went, shown]).toEqual([[], ['cmp_1']]);
  });

  it('leads back to the conversation whose reader has gone to another one meanwhile', () => {
    askWhatWasKept('/c/ses_2');
    expect([went, shown]).toEqual([['/c/ses_1'], ['cmp_1']]);
  });
});
