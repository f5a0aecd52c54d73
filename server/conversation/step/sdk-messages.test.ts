import fc from 'fast-check';
import { generateText, modelMessageSchema as sdkSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { toolImagesLabel } from '#server/core/conversation/labels';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { buildView } from '#server/context/view';
import { toModelMessages } from '#server/context/view-messages';
import { toSdkRequest } from '#server/conversation/step/sdk-messages';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import type { Message } from '#server/core/conversation/messages';
import { anyHistory } from '#tests/support/arbitrary-history';
import { findWireSequenceProblems, type WireMessage } from '#tests/support/validate-model-messages';

const ANTHROPIC = 'anthropic/claude-sonnet-4.5';

/** A provider's package with a transport that records requests and never answers. */
function wireOf(modelId: string) {
  let messages: readonly WireMessage[] = [];
  const fetch = (_: unknown, init?: RequestInit) => {
    ({ messages } = JSON.parse(init?.body as string) as { messages: readonly WireMessage[] });
    return Promise.resolve(Response.json({}, { status: 400 }));
  };
  const model = modelId.startsWith('local/')
    ? createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1/v1', fetch }).chatModel(modelId)
    : createOpenRouter({ apiKey: 'none', fetch }).chat(modelId);
  return { model, sent: () => messages };
}
const MARK = {
  openrouter: { cacheControl: { type: 'ephemeral' } },
  anthropic: { cacheControl: { type: 'ephemeral' } },
};
const marksIn = (value: unknown) => JSON.stringify(value).split(JSON.stringify(MARK)).length - 1;

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const conversation: ModelMessage[] = [
  user('Hello'),
  { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
  user('Look twice'),
  {
    role: 'assistant',
    content: ['a', 'b'].map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'get_content', input: {} })),
  },
  {
    role: 'tool',
    content: ['a', 'b'].map((id) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 'get_content',
      output: { type: 'text', value: id },
    })),
  },
];

describe('toSdkRequest', () => {
  it('marks instructions, newest user message and newest message, each once and at its end', () => {
    const { instructions, messages } = toSdkRequest('Be brief.', conversation, ANTHROPIC);
    expect(instructions).toEqual({ role: 'system', content: 'Be brief.', providerOptions: MARK });
    expect(messages.map(marksIn)).toEqual([0, 0, 1, 0, 1]);
    expect(messages.at(-1)?.content).toMatchObject([{ toolCallId: 'a' }, { toolCallId: 'b', providerOptions: MARK }]);
  });

  it("gets its cache marks at the same places from Anthropic's converter", async () => {
    let body: { system?: object[]; messages?: { content: object[] }[] } = {};
    const fetch = (_: unknown, init?: RequestInit) => {
      body = JSON.parse(init?.body as string) as typeof body;
      return Promise.resolve(Response.json({}, { status: 400 }));
    };
    const model = createAnthropic({ apiKey: 'none', fetch })('claude-sonnet-4-5');
    const request = toSdkRequest('Be brief.', conversation, ANTHROPIC);
    await generateText({ model, ...request, maxRetries: 0 }).catch(() => undefined);
    const marked = { cache_control: { type: 'ephemeral' } };
    expect(body.system).toMatchObject([marked]);
    expect(JSON.stringify(body).split('"ephemeral"').length - 1).toBe(3);
    expect(body.messages?.[2]?.content.at(-1)).toMatchObject(marked);
    expect(body.messages?.[4]?.content.at(-1)).toMatchObject({ type: 'tool_result', ...marked });
  });

  it('marks in front of images that only this request has', () => {
    const label = toolImagesLabel(['plan.png (draw)']);
    const image = { type: 'file', mediaType: 'image/png', data: 'data:image/png;base64,AAAA' } as const;
    const images: ModelMessage = { role: 'user', content: [{ type: 'text', text: label }, image] };
    const { messages } = toSdkRequest('', [...conversation, images], ANTHROPIC);
    expect(messages.slice(0, -1)).toEqual(toSdkRequest('', conversation, ANTHROPIC).messages);
    expect(messages.at(-1)).toBe(images);
  });

  it('marks nothing for other models, and changes nothing but marks for Anthropic', () => {
    expect(toSdkRequest('Be brief.', conversation, 'openai/gpt-4o')).toEqual({
      instructions: 'Be brief.',
      messages: conversation,
    });
    const before = JSON.stringify(conversation);
    const { messages } = toSdkRequest('', conversation, ANTHROPIC);
    const unmarked = JSON.stringify(messages).replaceAll(`,"providerOptions":${JSON.stringify(MARK)}`, '');
    expect(unmarked).toBe(before);
    expect(JSON.stringify(conversation)).toBe(before);
  });

  it('makes messages that the SDK takes, of any history, with at most two marks', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const view = buildView({ leading: [], summary: null, kept: [], messages }, ANTHROPIC);
        const request = toSdkRequest('', toModelMessages(view), ANTHROPIC);
        expect(request.messages.map((message) => sdkSchema.safeParse(message).error)).toEqual(
          view.map(() => undefined),
        );
        expect(marksIn(request.messages)).toBeLessThanOrEqual(2);
      }),
    );
  });

  it.each(['openai/gpt-4o', ANTHROPIC, 'mistralai/mistral-small-3.2', 'local/gemma-3'])(
    'makes roles take turns on the wire to %s as chat templates demand, of any history',
    async (modelId) => {
      const { model, sent } = wireOf(modelId);
      const show = (messages: Message[]) =>
        toModelMessages(buildView({ leading: [], summary: null, kept: [], messages }, modelId));
      const shown = anyHistory.map(show).filter((messages) => messages.length > 0);
      await fc.assert(
        fc.asyncProperty(shown, async (messages) => {
          const { messages: request } = toSdkRequest('', messages, modelId);
          await generateText({ model, messages: request, maxRetries: 0 }).catch(() => undefined);
          expect(findWireSequenceProblems(sent())).toEqual([]);
        }),
        { numRuns: 100 },
      );
    },
  );

  it('leaves what an answer has to carry back to its provider untouched', () => {
    const signed: ModelMessage = {
      role: 'assistant',
      content: [{ type: 'text', text: 'Hm', providerOptions: { openrouter: { reasoning_details: ['x'] } } }],
    };
    expect(toSdkRequest('', [user('Hi'), signed], ANTHROPIC).messages.at(-1)).toBe(signed);
  });
});
