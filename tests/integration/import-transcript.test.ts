import { modelMessageSchema } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type ModelMessage,
  modelMessageSchema as ourModelMessageSchema,
} from '#server/core/conversation/model-messages';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import type { ContextUsage } from '#server/core/conversation/events';
import { countTokens } from '#server/context/tokens';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';
import { readLongTranscript } from '#tests/support/transcripts';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const LARGE = 'anthropic/claude-sonnet-4.5';
const SMALL = 'openai/gpt-4-32k';

/** Tokens of what a view says, without anything around it. */
function contentTokens(view: readonly ModelMessage[]): number {
  const texts = view.flatMap((message) =>
    message.content.map((part) => {
      if (part.type === 'tool-call') return part.toolName + JSON.stringify(part.input);
      if (part.type === 'tool-result') return 'value' in part.output ? toolOutputText(part.output) : '';
      return part.type === 'file' ? '' : part.text;
    }),
  );
  return texts.reduce((sum, text) => sum + countTokens(text), 0);
}

describe('an imported transcript', () => {
  const transcript = readLongTranscript();
  let session: string;

  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await callRoute(method, `/api/sessions${path}`, { body });
    expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
    return response.json();
  }
  const contextFor = async (modelId: string) =>
    (await call('GET', `/${session}/context?modelId=${modelId}`)) as ContextUsage;
  const viewFor = async (modelId: string) => {
    const body = await call('GET', `/${session}/context/messages?modelId=${modelId}`);
    return z.object({ messages: z.array(ourModelMessageSchema) }).parse(body).messages;
  };

  beforeAll(async () => {
    await serve(startTestServices());
    ({ id: session } = z.object({ id: z.string() }).parse(await call('POST', '', { modelId: SMALL })));
    const imported = await call('POST', `/${session}/import`, { messages: transcript.messages });
    expect(imported).toMatchObject({ messages: 893, parts: 1_097 });
  });
  afterAll(stopServing);

  async function storedMessages(): Promise<unknown[]> {
    const page = z.object({ items: z.array(z.unknown()), nextCursor: z.string().nullable() });
    const items: unknown[] = [];
    let cursor = '';
    do {
      const next = page.parse(await call('GET', `/${session}/messages?limit=400${cursor}`));
      items.push(...next.items);
      cursor = next.nextCursor === null ? '' : `&cursor=${encodeURIComponent(next.nextCursor)}`;
    } while (cursor !== '');
    return items;
  }

  it('has right figures for a large and a small model', async () => {
    const large = await contextFor(LARGE);
    const small = await contextFor(SMALL);

    expect(large).toMatchObject({
      contextWindow: 200_000,
      outputReserve: 4_096,
      usableTokens: 170_000,
      source: 'estimated',
    });
    expect(small).toMatchObject({ contextWindow: 32_768, isOverflow: true, availableTokens: 0 });
    for (const usage of [large, small]) {
      const sum = Object.values(usage.breakdown).reduce((total, tokens) => total + tokens, 0);
      expect(usage.currentTokens).toBe(sum);
      expect(usage.percentUsed).toBeCloseTo((100 * usage.currentTokens) / usage.usableTokens, 0);
    }
    // Counted apart from the engine: the words, inputs and outputs alone, to which providers add ids and brackets.
    const counted = contentTokens(await viewFor(SMALL));
    const { instructions, tools } = small.breakdown;
    const overhead = (small.currentTokens - instructions - tools) / counted - 1;
    expect(overhead).toBeGreaterThan(0);
    expect(overhead).toBeLessThan(0.15);
    // Claude's tokenizer is unknown: the same view counts a tenth more.
    expect(large.currentTokens / small.currentTokens).toBeCloseTo(1.1, 1);
  });

  it('is a valid request for every provider, with a result for each of its calls', async () => {
    const view = await viewFor(LARGE);
    expect(findSequenceProblems(view)).toEqual([]);
    for (const message of view) expect(modelMessageSchema.safeParse(message).success).toBe(true);
    const parts = view.flatMap((message): { type: string }[] => message.content);
    expect(parts.filter((part) => part.type === 'tool-call')).toHaveLength(391);
    expect(parts.filter((part) => part.type === 'tool-result')).toHaveLength(391);
  });

  it('leaves a quarter of the room free after one compaction, and keeps the transcript', async () => {
    const record = await call('POST', `/${session}/compact`, {});
    const after = await contextFor(SMALL);

    expect(record).toMatchObject({ status: 'completed', round: 1 });
    // The room is what instructions and tools leave of usable.
    const fixed = after.breakdown.instructions + after.breakdown.tools;
    expect(after.currentTokens - fixed).toBeLessThanOrEqual(0.75 * (after.usableTokens - fixed));
    expect(after.isOverflow).toBe(false);
    const view = await viewFor(SMALL);
    expect(findSequenceProblems(view)).toEqual([]);
    for (const message of view) expect(modelMessageSchema.safeParse(message).success).toBe(true);
    expect(await storedMessages()).toHaveLength(893);
    const newest = transcript.messages.findLast((message) => message['role'] === 'user');
    expect(JSON.stringify(view)).toContain(JSON.stringify(newest?.['content']).slice(1, -1));
  });
});
