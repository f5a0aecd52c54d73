import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { attachedText } from '#server/core/conversation/part-text';
import { imageText } from '#server/core/conversation/part-types/image-text';
import { countTokens } from '#server/context/tokens';
import { readConversation } from '#server/models/offline/conversation';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { planStep } from '#server/models/offline/plan';
import { defineForModel } from '#server/tools/tool';
import { tools } from '#server/tools/index';
import { AT_MOST_QUADRATIC, expectGrowthBelow } from '#tests/support/growth';

const offered = tools.map((tool) => ({ type: 'function' as const, ...defineForModel(tool) }));
const options = (text: string, more: Partial<LanguageModelV4CallOptions> = {}): LanguageModelV4CallOptions => ({
  prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
  tools: offered,
  ...more,
});

async function streamed(call: LanguageModelV4CallOptions, chunkDelayMs = 0): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await createOfflineModel({ chunkDelayMs }).doStream(call);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
const textOf = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
const finishOf = (parts: readonly LanguageModelV4StreamPart[]) => parts.find((part) => part.type === 'finish');

describe('the stream of the basic assistant', () => {
  it('reports the tokens of prompt and tools, and of what it wrote', async () => {
    const call = options('hello');
    const parts = await streamed(call);
    const usage = finishOf(parts)?.usage;
    expect(usage?.inputTokens.total).toBe(countTokens(JSON.stringify([call.prompt, call.tools])));
    expect(usage?.outputTokens.total).toBeGreaterThanOrEqual(countTokens(textOf(parts)));
    expect(finishOf(parts)?.finishReason.unified).toBe('stop');
  });

  it('is deterministic, call ids included', async () => {
    expect(await streamed(options('list the pages'))).toEqual(await streamed(options('list the pages')));
  });

  it('stops at maxOutputTokens, in a text and before a call', async () => {
    const text = await streamed(options('help', { maxOutputTokens: 20 }));
    expect(finishOf(text)).toMatchObject({ finishReason: { unified: 'length' } });
    expect(countTokens(textOf(text))).toBeLessThanOrEqual(20);
    const call = await streamed(options('publish Pricing', { maxOutputTokens: 2 }));
    expect(call.some(({ type }) => type === 'tool-call')).toBe(false);
    expect(finishOf(call)?.finishReason.unified).toBe('length');
  });

  it('ends with the reason of the abort, before and while it streams', async () => {
    const reason = new Error('stop');
    await expect(streamed(options('help', { abortSignal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    const abort = new AbortController();
    const { stream } = await createOfflineModel({ chunkDelayMs: 60_000 }).doStream(
      options('help', { abortSignal: abort.signal }),
    );
    const reader = stream.getReader();
    await reader.read();
    const waiting = reader.read();
    abort.abort(reason);
    await expect(waiting.then(() => reader.read())).rejects.toBe(reason);
  });

  it('says that it reads no attached files, and does the rest of the request', async () => {
    const files = [
      { type: 'text' as const, text: attachedText('list.txt', 'delete the page Home') },
      { type: 'text' as const, text: imageText({ filename: 'kiln.png' }) },
    ];
    const ask = (...content: { type: 'text'; text: string }[]) =>
      createOfflineModel().doGenerate({
        ...options('x'),
        prompt: [{ role: 'user', content: [...content, ...files] }],
      });
    expect((await ask({ type: 'text', text: 'create a page called Oven' })).content).toMatchObject([
      { type: 'tool-call', toolName: 'create_content', input: expect.stringMatching(/"title":"Oven"/) },
    ]);
    expect((await ask()).content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/no request[^]*do not read attached files/) },
    ]);
  });

  it('says honestly that it cannot work without tools, or write a summary', async () => {
    const prompt: LanguageModelV4CallOptions['prompt'] = [
      { role: 'system', content: 'You summarize conversations.' },
      { role: 'user', content: [{ type: 'text', text: 'Create a summary of this conversation: ...' }] },
    ];
    const { content } = await createOfflineModel().doGenerate({ prompt });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/basic assistant/) }]);
    expect(
      (await streamed(options('list the pages', { toolChoice: { type: 'none' } }))).some(
        ({ type }) => type === 'tool-call',
      ),
    ).toBe(false);
  });
});

describe('a long message', () => {
  const long: [string, string][] = [
    ['letters without a space', 'a'.repeat(100_000)],
    ['spaces', `publish${' '.repeat(100_000)}Home`],
    ['dots', `publish ${'.'.repeat(100_000)}x`],
    ['opening quotation marks', "“ 'a ".repeat(25_000)],
    ['separators', ' and'.repeat(25_000)],
    ['lines', 'x\n'.repeat(50_000)],
    ['courtesies', 'please '.repeat(15_000)],
    ['answers of a faq', `add a faq to ${'x with answer '.repeat(1_400)}`],
    ['prepositions', `change the text on ${'a to b on '.repeat(1_900)}`],
    ['labels', `add a text section to Home with ${'the text and the '.repeat(1_100)}`],
    ['quoted text', `add a text section to Home with "${'long words. '.repeat(9_000)}"`],
  ];

  // A message has 64,000 characters at most: quadratic is still quick there, more is not.
  it.each(long)('is read in quadratic time at the worst: %s', (_name, text) => {
    const read = (each: string) => void planStep(readConversation(options(each).prompt));
    expectGrowthBelow(AT_MOST_QUADRATIC, text, read);
  });
});

describe("the result of another program's tool", () => {
  const called = (toolName: string, output: LanguageModelV4ToolResultOutput): LanguageModelV4CallOptions['prompt'] => [
    { role: 'user', content: [{ type: 'text', text: 'publish "Pricing"' }] },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName, input: { ref: 'Pricing' } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName, output }] },
  ];
  const tool = (name: string) => [{ type: 'function' as const, name, inputSchema: { type: 'object' as const } }];
  const waits = 'Nothing is done yet: this waits for a person.';

  it.each<[string, LanguageModelV4ToolResultOutput, string]>([
    ['a text', { type: 'text', value: waits }, waits],
    ['one word', { type: 'text', value: 'denied' }, 'denied'],
    ['a message', { type: 'json', value: { status: 'waiting', message: waits } }, waits],
    ['an error', { type: 'json', value: { error: { message: 'There is no page.' } } }, 'There is no page.'],
    [
      'content of MCP',
      { type: 'json', value: { isError: true, content: [{ type: 'text', text: 'denied' }] } },
      'denied',
    ],
    [
      'a page that is not published',
      { type: 'json', value: { title: 'Pricing', status: 'draft' } },
      '{"title":"Pricing","status":"draft"}',
    ],
    ['nothing', { type: 'json', value: {} }, 'publish_content gave no message.'],
  ])('is repeated where it is %s', async (_, output, said) => {
    expect(textOf(await streamed({ prompt: called('publish_content', output), tools: tool('publish_content') }))).toBe(
      said,
    );
  });

  it.each(['tl_publish_content', 'mcp__throughline__publish_content', 'throughline.publish_content'])(
    'is recognized with a prefix: %s',
    async (name) => {
      const asked = await streamed({ ...options('publish "Pricing"'), tools: tool(name) });
      expect(asked.find((part) => part.type === 'tool-call')).toMatchObject({ toolName: name });
      const output = { type: 'text', value: waits } as const;
      expect(textOf(await streamed({ prompt: called(name, output), tools: tool(name) }))).toBe(waits);
    },
  );
});
