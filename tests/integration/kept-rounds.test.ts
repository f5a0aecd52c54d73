import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewMessage } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import type { NewPart } from '#server/core/conversation/parts';
import { openDatabase } from '#server/platform/database/database';
import { createCompactionCacheRepository } from '#server/integrations/openai/compaction-cache-repository';
import {
  answers,
  calls,
  clientEngine,
  memoryRounds,
  prose,
  returns,
  says,
  shows,
} from '#tests/support/client-conversations';
import { isDeep } from '#tests/support/deep';

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const size = fc.constantFrom<number>(3, 40, 300, 900, 2_500);

/** What a client and its model may say and do in one turn. */
const anyTurn = fc.record({
  request: size,
  /** A picture by its bytes, by an address, or none. */
  picture: fc.constantFrom(null, null, null, PICTURE, 'https://example.com/cat.png'),
  steps: fc.array(
    fc.record({
      /** Few ids, so that they come again across turns. */
      ids: fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 3 }),
      output: fc.oneof({ weight: 6, arbitrary: size }, { weight: 1, arbitrary: fc.constant(12_000) }),
      isReversed: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  answer: size,
});
const anyConversation = fc.array(anyTurn, { minLength: 1, maxLength: 14 });
type Turn = typeof anyTurn extends fc.Arbitrary<infer T> ? T : never;

/** Messages of a turn, as a client keeps them. */
function turnOf({ request, picture, steps, answer }: Turn, turn: number): NewMessage[] {
  const asked = `Request ${turn}: ${prose(request, turn)}`;
  return [
    picture === null ? says(asked) : shows(asked, picture),
    ...steps.flatMap(({ ids, output, isReversed }, step) => {
      const named = ids.map((id) => `call_${id}`);
      const results = named.map((id, index) => returns(id, prose(output, turn * 100 + step * 10 + index)));
      return [calls(...named), ...(isReversed ? results.toReversed() : results)];
    }),
    answers(prose(answer, turn + 1_000)),
  ];
}

describe('conversations that clients keep', () => {
  it('fit the window at every call, for any messages, and are summarized once per round', async () => {
    const seen = { calls: 0, summaries: 0, rounds: 0 };
    await fc.assert(
      fc.asyncProperty(anyConversation, async (conversation) => {
        const store = memoryRounds();
        const engine = clientEngine({ store });
        const history: NewMessage[] = [];
        let newest = 0;
        for (const [index, turn] of conversation.entries()) {
          const messages = turnOf(turn, index);
          for (const message of messages) {
            history.push(message);
            // A client calls where the model has to continue: after a request, and after all results of a step.
            const next = messages[messages.indexOf(message) + 1];
            if (message.role === 'assistant' || next?.role === 'tool') continue;
            const context = await engine.open([...history]);
            const prepared = await context.prepare();
            seen.calls += 1;
            expect(prepared.usage.currentTokens).toBeLessThanOrEqual(prepared.usage.usableTokens);
            expectRequest(prepared.messages, history);
            expectPairs(prepared.messages, history);
            const { round } = context.report()!;
            expect(round).toBeGreaterThanOrEqual(newest);
            newest = round;
          }
        }
        const futile = store.rows.filter(({ round }) => round.includes('"kind":"futile"')).length;
        expect(engine.summaries()).toBeLessThanOrEqual(newest + futile);
        expect(engine.faults).toEqual([]);
        seen.summaries += engine.summaries();
        seen.rounds += newest;
      }),
      { numRuns: isDeep ? 200 : 8 },
    );
    expect(seen.rounds).toBeGreaterThan(10);
    expect(seen.summaries).toBeLessThanOrEqual(seen.rounds * 1.1);
    expect(seen.rounds).toBeLessThan(seen.calls / 2);
  });

  it('give the same view again for the same messages, from rounds alone', async () => {
    await fc.assert(
      fc.asyncProperty(anyConversation, async (conversation) => {
        const store = memoryRounds();
        const history = [...conversation.flatMap(turnOf), says('And now?')];
        const first = await (await clientEngine({ store }).open(history)).prepare();
        const engine = clientEngine({ store });
        const second = await (await engine.open(structuredClone(history))).prepare();
        expect(second.messages).toEqual(first.messages);
        expect(engine.summaries()).toBe(0);
      }),
      { numRuns: isDeep ? 200 : 8 },
    );
  });

  it('are not summarized again after a restart, nor by another process on the same database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-rounds-'));
    try {
      const url = `file:${join(folder, 'rounds.db')}`;
      const history = Array.from({ length: 30 }, (_, turn) =>
        turnOf({ request: 100, picture: null, steps: [], answer: 500 }, turn),
      ).flat();
      const before = await openDatabase({ url });
      const engine = clientEngine({ store: createCompactionCacheRepository(before) });
      const first = await (await engine.open([...history, says('go on')])).prepare();
      expect(engine.summaries()).toBe(1);
      const other = await openDatabase({ url });
      const elsewhere = clientEngine({ store: createCompactionCacheRepository(other) });
      expect((await (await elsewhere.open([...history, says('go on')])).prepare()).messages).toEqual(first.messages);
      await other.close();
      await before.close();

      const after = await openDatabase({ url });
      const restarted = clientEngine({ store: createCompactionCacheRepository(after) });
      const context = await restarted.open([...history, says('go on'), answers('I did.'), says('Thanks')]);
      await context.prepare();
      expect(context.report()).toMatchObject({ summary: 'kept', round: 1 });
      expect(elsewhere.summaries() + restarted.summaries()).toBe(0);
      await after.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The newest request is sent verbatim, with its picture; a summary is in the same message. */
function expectRequest(messages: readonly ModelMessage[], history: readonly NewMessage[]): void {
  const request = history.findLast(({ role }) => role === 'user')!;
  const wanted = request.parts.map((part: NewPart) =>
    part.type === 'file'
      ? { type: 'file', mediaType: part.content.mediaType, data: part.content.url }
      : { type: 'text', text: part.type === 'text' ? part.content.text : '' },
  );
  expect(messages.map(({ content }) => content)).toContainEqual(expect.arrayContaining(wanted));
}

/** Each call is followed by its results, in their order; ids are the client's, numbered where they come again. */
function expectPairs(messages: readonly ModelMessage[], history: readonly NewMessage[]): void {
  const ids = new Set(
    history.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? part.content.toolCallId : []))),
  );
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const called = message.content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []));
    if (called.length === 0) continue;
    const next = messages[index + 1];
    expect(next?.role === 'tool' && next.content.map(({ toolCallId }) => toolCallId)).toEqual(called);
    expect(next?.role === 'tool' && next.content.every(({ output }) => !output.type.startsWith('error'))).toBe(true);
    for (const id of called) {
      expect(seen.has(id)).toBe(false);
      const original = ids.has(id) ? id : id.replace(/_\d+$/, '');
      expect(ids).toContain(original);
      expect(original === id || seen.has(original)).toBe(true);
      seen.add(id);
    }
  }
}
