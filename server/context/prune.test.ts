import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTE_LABEL } from '#server/core/conversation/labels';
import type { Message } from '#server/core/conversation/messages';
import type { NewPart, Part, ToolCallPart } from '#server/core/conversation/parts';
import { planExcerpts, planPrune, type PruneRules } from '#server/context/prune';
import { holdsExcerpt, shownInput } from '#server/context/excerpt';
import { countPartTokens, tokensOf } from '#server/context/part-tokens';
import { defaultSettings } from '#server/context/settings/context-settings';
import { buildPricedView, cutToLeast } from '#server/context/view';
import { call, editingHistory, result, storedMessages, text } from '#tests/support/arbitrary-history';
import type { PrunedPart } from '#server/context/ports';
import { rawTokens } from '#server/context/compaction-plan';
import { STORED_VOCABULARY } from '#server/context/tokens';

const rules: PruneRules = {
  ...defaultSettings,
  protect: 1_000,
  minimum: 500,
  images: 1_000,
  imagesFirst: true,
  leastGain: 0,
  minTurnsToKeep: 2,
  exemptTools: new Set(['get_settings']),
  inputExcerptChars: 400,
  inputExcerptFrom: 150,
  inputExcerptMaxShare: 0.5,
};

/** Turns that each read one page of `tokens` tokens with the given tool. */
function reads(...tools: { tool?: string; tokens: number }[]) {
  return storedMessages(
    tools.flatMap(({ tool = 'get_content', tokens }, index) => [
      { role: 'user' as const, parts: [text('Read it')] },
      { role: 'assistant' as const, parts: [call(`c${index}`, tool)] },
      { role: 'tool' as const, parts: [{ ...result(`c${index}`, 'x', tool), tokens }] },
    ]),
  );
}

/** Turns that each write one section with a body of so many characters. */
function writes(...lengths: number[]) {
  const body = 'Every piece is thrown by hand and fired twice. ';
  return storedMessages(
    lengths.flatMap((length, index) => [
      { role: 'user' as const, parts: [text('Write it')] },
      {
        role: 'assistant' as const,
        parts: [call(`c${index}`, 'add_section', { ref: 'home', body: body.repeat(length / body.length + 1) })],
      },
      { role: 'tool' as const, parts: [result(`c${index}`, 'ok', 'add_section')] },
    ]),
  );
}

const writingHistory = fc.array(fc.integer({ min: 1, max: 6_000 }), { maxLength: 12 }).map((all) => writes(...all));

describe('planPrune', () => {
  it('clears the oldest outputs beyond the protected newest ones', () => {
    const plan = planPrune(
      reads({ tokens: 900 }, { tokens: 900 }, { tokens: 900 }, { tokens: 10 }, { tokens: 10 }),
      rules,
    );
    expect(plan.parts.map((part) => part.partId)).toEqual(['prt_2_0', 'prt_5_0']);
    expect(plan.tools).toEqual(['get_content']);
  });

  it('leaves the newest turns alone however large they are', () => {
    expect(planPrune(reads({ tokens: 50_000 }, { tokens: 50_000 }), rules).parts).toEqual([]);
  });

  it('does nothing when it would save less than the minimum', () => {
    expect(
      planPrune(reads({ tokens: 1_100 }, { tokens: 5 }, { tokens: 5 }), { ...rules, minimum: 1_200 }).parts,
    ).toEqual([]);
  });

  it('does nothing when it saves too little for what has to be sent again', () => {
    const kept = { tool: 'get_settings', tokens: 9_000 };
    const messages = reads(kept, { tokens: 2_000 }, { tokens: 1_000 }, { tokens: 1_900 }, { tokens: 1_900 });
    const cleared = planPrune(messages, rules).parts.map(({ partId }) => partId);
    expect(cleared).toEqual(['prt_5_0']);
    // It saves about 1,960 of the 6,800 tokens from there on; tokens before it do not count.
    expect(planPrune(messages, { ...rules, leastGain: 0.35 }).parts).toHaveLength(1);
    expect(planPrune(messages, { ...rules, leastGain: 0.5 }).parts).toEqual([]);
  });

  it('never clears errors, exempt tools or what is cleared already', () => {
    const messages = reads(
      { tool: 'get_settings', tokens: 5_000 },
      { tokens: 5_000 },
      { tokens: 5_000 },
      { tokens: 1 },
      { tokens: 1 },
    );
    const altered = messages.map((message, index) => {
      if (index === 5) return { ...message, parts: message.parts.map((part) => ({ ...part, compactedAt: 7 })) };
      if (index !== 8) return message;
      const parts = message.parts.map((part) => ({ ...part, state: 'error' as const }));
      return { ...message, parts };
    });
    expect(planPrune(altered, rules).parts).toEqual([]);
  });

  it('clears an old output of which only an excerpt was left, and counts what that still saves', () => {
    const excerpted = reads({ tokens: 900 }, { tokens: 900 }, { tokens: 5 }, { tokens: 5 }).map((message) => ({
      ...message,
      parts: message.parts.map((part) => ({ ...part, compactedAt: 7, excerptChars: 3_000 })),
    }));
    const plan = planPrune(excerpted, { ...rules, protect: 0 });
    expect(plan.parts.map(({ partId, excerptChars }) => [partId, excerptChars])).toEqual([
      ['prt_2_0', undefined],
      ['prt_5_0', undefined],
    ]);
    expect(plan.tokensSaved).toBe(1_800 - plan.parts.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0));
  });

  it('leaves as much of the texts of an old input as requested', () => {
    const messages = writes(4_000, 9, 9);
    const plans = [100, 400, 1_500].map((chars) =>
      planPrune(messages, { ...rules, protect: 0, inputExcerptChars: chars }),
    );
    expect(plans.map(({ parts }) => parts.map((part) => part.excerptChars))).toEqual([[100], [400], [1_500]]);
    const [short, usual, long] = plans.map(({ tokensSaved }) => tokensSaved) as [number, number, number];
    expect(short).toBeGreaterThan(usual);
    expect(usual).toBeGreaterThan(long);
  });

  it('excerpts large old inputs, also of calls that failed, and leaves small ones', () => {
    const plan = planPrune(writes(4_000, 4_000, 100, 4_000, 4_000), { ...rules, protect: 0 });
    expect(plan.parts.map((part) => part.partId)).toEqual(['prt_1_0', 'prt_4_0']);
    for (const { tokensAfter } of plan.parts) expect(tokensAfter).toBeLessThan(150);
    expect(plan.tools).toEqual(['add_section']);
    const failed = writes(4_000, 100, 100).map((message) => ({
      ...message,
      parts: message.parts.map((part) => ({ ...part, state: 'error' as const })),
    }));
    expect(planPrune(failed, { ...rules, protect: 0 }).parts.map((part) => part.partId)).toEqual(['prt_1_0']);
  });

  it('protects inputs as it does outputs: the newest, exempt tools, and calls that still run', () => {
    const [old, newer] = [4_000, 3_000];
    expect(planPrune(writes(old, newer, 9, 9), rules).parts.map((part) => part.partId)).toEqual(['prt_1_0']);
    const exempt = { ...rules, protect: 0, exemptTools: new Set(['add_section']) };
    expect(planPrune(writes(old, newer, 9, 9), exempt).parts).toEqual([]);
    const running = writes(old, 9, 9).map((message) => ({
      ...message,
      parts: message.parts.map((part) => ({ ...part, state: 'running' as const })),
    }));
    expect(planPrune(running, { ...rules, protect: 0 }).parts).toEqual([]);
  });

  it('costs exactly its stated tokens in the view', () => {
    const messages = writes(4_000, 4_000, 9, 9);
    const plan = planPrune(messages, { ...rules, protect: 0 });
    const after = new Map(plan.parts.map((part) => [part.partId, part.tokensAfter]));
    const calls = messages.flatMap((message) => message.parts).filter((part) => part.type === 'tool-call');
    for (const part of calls.filter(({ id }) => after.has(id))) {
      const input = shownInput({ ...part, compactedAt: 9, excerptChars: 400 });
      expect(countPartTokens({ type: 'tool-call', content: { ...part.content, input } })).toBe(after.get(part.id));
    }
    expect(after.size).toBe(2);
  });

  describe('of images', () => {
    const TOKENS = 1_334;
    /** Turns of one attached image each, and a page read. */
    const shows = (count: number, read = 0) =>
      storedMessages(
        Array.from({ length: count }, (_, index) => [
          { role: 'user' as const, parts: [text('Look'), attached(`${index}.png`)] },
          { role: 'assistant' as const, parts: [call(`c${index}`)] },
          { role: 'tool' as const, parts: [{ ...result(`c${index}`, 'x'), tokens: read }] },
        ]).flat(),
      );
    const attached = (filename: string): NewPart => {
      const content = { mediaType: 'image/png', filename, url: '@blob:blb_1', width: 1_000, height: 1_000 };
      return { type: 'file', content, tokens: TOKENS };
    };
    const imageRules = { ...rules, images: 2 * TOKENS };
    const prunedBy = (messages: Message[], changes: Partial<PruneRules> = {}) =>
      planPrune(messages, { ...imageRules, ...changes });

    it('takes those out that are older than the newest and the protected turns, in batches', () => {
      // Two turns and two images are protected; two more are worth a prune.
      expect(prunedBy(shows(5)).parts).toEqual([]);
      const plan = prunedBy(shows(7));
      expect(plan.parts.map(({ partId }) => partId)).toEqual(['prt_0_1', 'prt_3_1', 'prt_6_1']);
      expect(plan.tools).toEqual([]);
      expect(plan.tokensSaved).toBe(3 * TOKENS - plan.parts.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0));
      for (const { tokensAfter } of plan.parts) expect(tokensAfter).toBeLessThan(50);
    });

    it('before any text leaves, which is looked at the next time', () => {
      const messages = shows(7, 900);
      const first = prunedBy(messages);
      expect(first.tools).toEqual([]);
      const gone = new Map(first.parts.map(({ partId, tokensAfter }) => [partId, tokensAfter]));
      const after = messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          gone.has(part.id) ? { ...part, compactedAt: 9, tokens: gone.get(part.id) ?? null } : part,
        ),
      }));
      const second = prunedBy(after);
      expect(second.tools).toEqual(['get_content']);
      expect(second.parts.some(({ partId }) => gone.has(partId))).toBe(false);
      const both = prunedBy(messages, { imagesFirst: false });
      expect(both.parts).toEqual([...first.parts, ...second.parts]);
    });

    it('also if they alone are too few, together with text that is worth it', () => {
      const plan = prunedBy(shows(5, 900));
      expect(plan.parts.map(({ partId }) => partId)).toContain('prt_0_1');
      expect(plan.tools).toEqual(['get_content']);
    });

    it('never of the newest request, even if the engine wrote after it', () => {
      const messages = shows(3);
      const note = storedMessages([{ role: 'user', parts: [text(`${NOTE_LABEL} Go on.`)] }]);
      const notes = [1, 2].map((seq) => ({ ...note[0]!, id: `msg_note_${seq}`, parentId: 'msg_6' }));
      const plan = prunedBy([...messages, ...notes], { images: 0, minTurnsToKeep: 1 });
      expect(plan.parts.map(({ partId }) => partId)).toEqual(['prt_0_1', 'prt_3_1']);
    });

    it('not for a model without images: it saves nothing', () => {
      const target = { modelId: 'openai/gpt-3.5-turbo', tokenFactor: 1, acceptsImages: false };
      const stored = { leading: [], summary: null, kept: [], messages: shows(7) };
      expect(prunedBy([...buildPricedView(stored, target).stored.messages], { images: 0 }).parts).toEqual([]);
    });
  });

  it('saves exactly its stated tokens and is empty when repeated', () => {
    fc.assert(
      fc.property(fc.oneof(editingHistory, writingHistory), (messages) => {
        const plan = planPrune(messages, { ...rules, minimum: 1 });
        const cleared = new Map(plan.parts.map((part) => [part.partId, part.tokensAfter]));
        const after = messages.map((message) => ({
          ...message,
          parts: message.parts.map((part) => {
            const tokens = cleared.get(part.id);
            return tokens === undefined ? part : { ...part, tokens, compactedAt: 9 };
          }),
        }));
        const sum = (list: typeof messages) =>
          list.flatMap((message) => message.parts).reduce((total, part) => total + tokensOf(part), 0);
        expect(sum(messages) - sum(after)).toBe(plan.tokensSaved);
        expect(planPrune(after, { ...rules, minimum: 1 }).parts).toEqual([]);
      }),
    );
  });
});

function outputs(sizes: readonly number[]) {
  const ids = sizes.map((_, index) => `c${index}`);
  return storedMessages([
    { role: 'user', parts: [text('Read them all.')] },
    { role: 'assistant', parts: ids.map((id) => call(id)) },
    { role: 'tool', parts: ids.map((id, index) => result(id, 'word '.repeat(sizes[index] ?? 0))) },
  ]);
}

describe('cutToLeast', () => {
  it('has what is left when all that can be saved is saved, and leaves small outputs whole', () => {
    const messages = outputs([5_000, 3, 4_000]);
    const least = cutToLeast(messages, STORED_VOCABULARY);
    const most = rawTokens(messages) - rawTokens(least);
    expect(rawTokens(least)).toBeLessThan(250);
    expect(least[2]?.parts[1]).toBe(messages[2]?.parts[1]);
    expect(planExcerpts(messages, most, { inputs: true })).toHaveLength(2);
    expect(planExcerpts(messages, most + 1, { inputs: true })).toEqual([]);
    expect(rawTokens(cutToLeast(least, STORED_VOCABULARY))).toBe(rawTokens(least));
  });
});

describe('planExcerpts', () => {
  it('saves the requested amount by cutting the largest ones, and leaves small ones whole', () => {
    const excerpts = planExcerpts(outputs([5_000, 10, 4_000]), 6_000);
    expect(excerpts.map((excerpt) => excerpt.partId).toSorted()).toEqual(['prt_2_0', 'prt_2_2']);
  });

  it('saves at least the excess or says that it cannot', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 8_000 }),
        (sizes, excess) => {
          const messages = outputs(sizes);
          const excerpts = planExcerpts(messages, excess);
          if (excerpts.length === 0) return;
          const parts = new Map(messages.flatMap((message) => message.parts).map((part) => [part.id, part]));
          const saved = excerpts.reduce((sum, { partId, tokensAfter }) => {
            const part = parts.get(partId);
            return sum + (part ? tokensOf(part) - tokensAfter : 0);
          }, 0);
          expect(saved).toBeGreaterThanOrEqual(excess);
        },
      ),
    );
  });

  it('makes a shorter excerpt of what is one already, and of nothing else', () => {
    const apply = (messages: Message[], excerpts: readonly PrunedPart[]) => {
      const byId = new Map(excerpts.map((excerpt) => [excerpt.partId, excerpt]));
      return messages.map((message) => ({
        ...message,
        parts: message.parts.map((part): Part => {
          const { tokensAfter, excerptChars } = byId.get(part.id) ?? {};
          return excerptChars === undefined
            ? part
            : { ...part, tokens: tokensAfter ?? 0, compactedAt: 9, excerptChars };
        }),
      }));
    };
    const once = apply(outputs([5_000, 5_000]), planExcerpts(outputs([5_000, 5_000]), 4_000));
    const again = planExcerpts(once, 4_000);
    expect(again.map(({ partId }) => partId)).toEqual(['prt_2_0', 'prt_2_1']);
    const chars = (messages: Message[]) => messages[2]?.parts.map((part) => part.excerptChars ?? Infinity) ?? [];
    for (const [index, { excerptChars }] of again.entries()) expect(excerptChars).toBeLessThan(chars(once)[index] ?? 0);
    const total = once
      .flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'))
      .reduce((sum, part) => sum + tokensOf(part), 0);
    const least = apply(once, planExcerpts(once, total - 150));
    expect(planExcerpts(least, 1_000)).toEqual([]);
    const cleared = once.map((message) => ({
      ...message,
      parts: message.parts.map((part) => ({ ...part, excerptChars: null })),
    }));
    expect(planExcerpts(cleared, 10)).toEqual([]);
  });

  it('cuts a giant input, valid and recallable, where asked to, and only then', () => {
    const body = 'Every piece is thrown by hand. '.repeat(2_000);
    const ids = Array.from({ length: 4_000 }, (_, index) => `pag_${index}`);
    for (const input of [
      { ref: 'home', fields: { body } },
      { ref: 'home', ids },
      { ref: 'home', rows: { ids, body } },
    ]) {
      const messages = storedMessages([
        { role: 'user', parts: [text('Write it.')] },
        { role: 'assistant', parts: [{ type: 'tool-call', content: { toolCallId: 'c', toolName: 'write', input } }] },
        { role: 'tool', parts: [result('c', 'done')] },
      ]);
      const part = messages[1]?.parts[0] as ToolCallPart;
      const excess = tokensOf(part) - 300;
      expect(planExcerpts(messages, excess)).toEqual([]);
      const [excerpt, ...others] = planExcerpts(messages, excess, { inputs: true });
      expect(others).toEqual([]);
      const cut = { ...part, compactedAt: 9, excerptChars: excerpt?.excerptChars ?? null };
      const shown = shownInput(cut);
      expect(countPartTokens({ type: 'tool-call', content: { ...part.content, input: shown } })).toBe(
        excerpt?.tokensAfter,
      );
      expect(excerpt?.tokensAfter).toBeLessThanOrEqual(300);
      expect(shown).toMatchObject({ ref: 'home' });
      expect(JSON.stringify(shown)).toContain(`recall_output id: ${part.id}`);
      expect(holdsExcerpt(shown)).toBe(true);
    }
  });
});
