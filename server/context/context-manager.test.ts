import { describe, expect, it } from 'vitest';
import type { ContextRequest } from '#server/context/ports';
import type { CompactionReason } from '#server/core/conversation/events';
import type { NewMessage } from '#server/core/conversation/messages';
import { call, result, text } from '#tests/support/arbitrary-history';
import { TestSession } from '#tests/support/test-session';
import { engineWith } from '#tests/support/small-engine';

const SESSION = 'ses_test';

/** Turns that each read an output of so many tokens and talk about it at length. */
function turns(count: number, output: number, talk: number): NewMessage[] {
  return Array.from({ length: count }, (_, turn): NewMessage[] => [
    { role: 'user', parts: [{ ...text(`Request ${turn}`), tokens: 4 }] },
    { role: 'assistant', parts: [{ ...call(`c${turn}`), tokens: 20 }] },
    { role: 'tool', parts: [{ ...result(`c${turn}`, `Output ${turn}`), tokens: output }] },
    { role: 'assistant', parts: [{ ...text(`Answer ${turn}`), tokens: talk }] },
  ]).flat();
}

/**
 * Prepares one step in a window of 16,000 tokens, and counts how often the whole view was read for it.
 * @param meanwhile done by another process just before the lease is acquired
 */
async function prepareCounted(
  history: readonly NewMessage[],
  force?: CompactionReason,
  meanwhile?: (store: TestSession) => Promise<unknown>,
) {
  let reads = 0;
  const store = new TestSession(Date.now, SESSION);
  const counting = new Proxy(store, {
    get(of, name) {
      if (name === 'loadView') reads += 1;
      if (name === 'holdLease' && meanwhile) {
        return async (wait: boolean) => {
          await meanwhile(of);
          return of.holdLease(wait);
        };
      }
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
  store.appendMany(history);
  const manager = engineWith();
  const request: ContextRequest = {
    session: counting,
    summarizer: null,
    target: {
      modelId: 'openai/gpt-4o',
      contextWindow: 16_000,
      maxOutputTokens: 4_000,
      warning: null,
      tokenFactor: 1,
      fixed: { instructions: 300, tools: 1_200 },
    },
  };
  const prepared = await manager.prepare(request, force);
  return { manager, request, prepared, reads: () => reads };
}

describe('ContextManager.prepare', () => {
  it('measures a session that fits once', async () => {
    const { prepared, reads } = await prepareCounted(turns(3, 300, 10));
    expect(prepared).toMatchObject({ prunedOutputs: 0, compaction: null });
    expect(reads()).toBe(1);
  });

  it('measures once more after pruning', async () => {
    const { prepared, reads } = await prepareCounted(turns(9, 1_500, 10));
    expect(prepared.prunedOutputs).toBeGreaterThan(0);
    expect(prepared.compaction).toBeNull();
    expect(reads()).toBe(2);
  });

  it('compacts what it has measured, and measures once more', async () => {
    const { prepared, reads } = await prepareCounted(turns(12, 20, 1_200));
    expect(prepared).toMatchObject({ prunedOutputs: 0, compaction: { round: 1 } });
    expect(reads()).toBe(2);
  });

  it('measures again under the lease if outputs were pruned or a prune was undone since', async () => {
    const history = turns(12, 20, 1_200);
    const pruneFirst = (store: TestSession) => {
      const part = store.originals().find(({ role }) => role === 'tool')!.parts[0]!;
      const figures = { trigger: 'turn-end', tokensBefore: 900, tokensAfter: 800, modelId: 'a/b' } as const;
      return store.savePrune({ ...figures, parts: [{ partId: part.id, tokensAfter: 3 }] });
    };
    const pruned = await prepareCounted(history, undefined, pruneFirst);
    expect(pruned.prepared).toMatchObject({ compaction: { round: 1 } });
    expect(pruned.reads()).toBe(3);

    const undone = await prepareCounted(history, undefined, async (store) => store.undo((await pruneFirst(store)).id));
    expect(undone.reads()).toBe(3);
  });

  it('measures once for a compaction that finds nothing to do', async () => {
    const { prepared, reads } = await prepareCounted([{ role: 'user', parts: [text('Hello')] }], 'provider-overflow');
    expect(prepared.compaction).toBeNull();
    expect(reads()).toBe(1);
  });
});

describe('ContextManager.prune', () => {
  it('measures once if nothing is cleared, and reports the usage', async () => {
    const { manager, request, reads } = await prepareCounted(turns(3, 300, 10));
    const { usage } = await manager.inspect(request);
    const before = reads();
    expect(await manager.prune(request, 'turn-end')).toMatchObject({ outputsPruned: 0, usage });
    expect(reads() - before).toBe(1);
  });
});
