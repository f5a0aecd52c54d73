import { describe, expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createContentRepository } from '#server/site/store/content-repository';
import { type OutputLimits, runToolCall, truncateOutput } from '#server/conversation/step/run-tool-call';
import { countPartTokens } from '#server/context/part-tokens';
import type { JsonValue } from '#server/core/json';
import { ownTools } from '#server/tools/index';
import type { ToolContext } from '#server/tools/tool';
import { createTestDatabase } from '#tests/support/test-database';
import { noHistory, noWishes } from '#tests/support/no-conversation';
import fc from 'fast-check';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';

const limits = (maxChars: number, toolOutputChars: Record<string, number> = {}) => ({
  maxChars,
  most: maxChars,
  maxLines: 2_000,
  maxLineLength: 50_000,
  maxMatches: 1_000,
  timeoutMs: 60_000,
  toolOutputChars,
});

const noFault = (message: string, error: unknown) => {
  throw new Error(message, { cause: error });
};

const noFile = () => {
  throw new Error('There is no file in this result.');
};

async function run(
  toolName: string,
  input: JsonValue,
  options: { error?: string; output?: string; max?: number; own?: Record<string, number> } = {},
) {
  await using database = await createTestDatabase();
  const context: ToolContext = {
    siteId: 'embedded',
    scopes: ['content:write'],
    content: new EmbeddedSite(createContentRepository(database)),
    history: { ...noHistory, readPart: () => Promise.resolve(options.output ?? null) },
    files: { list: () => Promise.resolve([]), read: () => Promise.resolve(null) },
    origin: { actor: 'assistant' },
    wishes: noWishes,
    signal: new AbortController().signal,
  };
  const call = { partId: 'prt_1', toolCallId: 'c1', toolName, input, error: options.error };
  const effects = { limits: limits(options.max ?? 30_000, options.own), keepFile: noFile, onFault: noFault };
  return await runToolCall(call, ownTools, context, effects);
}

describe('running a tool call', () => {
  it('gives its result with its tokens and how long it took', async () => {
    const part = await run('list_content', { type: 'page' });
    expect(part).toMatchObject({
      type: 'tool-result',
      state: 'completed',
      content: { toolCallId: 'c1', toolName: 'list_content', output: { type: 'json', value: { total: 0, items: [] } } },
    });
    expect(part.tokens).toBe(countPartTokens(part));
    expect(part.content.durationMs).toBeGreaterThanOrEqual(0);
    expect(part.content).not.toHaveProperty('truncated', true);
  });

  it.each([
    ['fly', {}, {}, /^There is no tool "fly"\.$/],
    ['getContent', {}, {}, /^There is no tool "getContent"\. Did you mean get_content( or |\?)/],
    ['list_content', { type: 'moon' }, { error: 'A dump.' }, /^Invalid input: type must be "page" or "post"\.$/],
    ['list_content', '{"unfinished', { error: 'A dump.' }, /^Invalid input: this is no JSON\./],
    ['get_content', { ref: 'nowhere', type: 'page' }, {}, /nowhere/],
  ])('turns a failure of %s into a result that the model reads', async (name, input, options, words) => {
    const part = await run(name, input, options);
    expect(part).toMatchObject({ state: 'error', content: { output: { type: 'error-text' } } });
    const { output } = part.content;
    expect(output.type === 'error-text' && output.value).toMatch(words);
  });

  it('contains the visible part of a failure, at most a page', async () => {
    const error = `No.\u001b[31m\u202E ${'<p>502</p>'.repeat(10_000)}`;
    const { output } = (await run('list_content', { type: 'page' }, { error })).content;
    expect(output.type === 'error-text' && output.value).toMatch(/^No\. <p>502.*exceeded maximum length\]$/s);
    expect(output.type === 'error-text' && output.value).toHaveLength(4_000);
  });

  it('cuts at the limit that is set for the tool, and at what the step has left', async () => {
    const lengthWith = async (own: Record<string, number>, max: number) => {
      const options = { output: 'x'.repeat(5_000), max, own };
      const { output } = (await run('recall_output', { id: 'prt_01abcdefghijklmnopqrstuvwx' }, options)).content;
      return output.type === 'text' ? output.value.length : 'whole';
    };
    expect(await lengthWith({ get_content: 500 }, 10_000)).toBe('whole');
    expect(await lengthWith({ recall_output: 500 }, 10_000)).toBe(500);
    expect(await lengthWith({ recall_output: 4_000 }, 2_000)).toBe(2_000);
  });

  it('cuts a long output at its source and marks the cut', async () => {
    const part = await run(
      'recall_output',
      { id: 'prt_01abcdefghijklmnopqrstuvwx' },
      { output: 'x'.repeat(5_000), max: 1_000 },
    );
    const { output, truncated } = part.content;
    expect(truncated).toBe(true);
    expect(output.type === 'text' && output.value).toMatch(/x\n\n\[Output truncated - exceeded maximum length\]$/);
    expect(output.type === 'text' && output.value).toHaveLength(1_000);
  });
});

const NOTE = '\n\n[Output truncated - exceeded maximum length]';
/** An output of this value, truncated. */
const cut = (value: JsonValue, within: OutputLimits) =>
  truncateOutput(typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }, within);
const LIMITS = { maxChars: 1_000, maxLines: 10, maxLineLength: 50, maxMatches: 5 };

describe('truncateOutput', () => {
  it('leaves an output within every limit unchanged', () => {
    const text = Array.from({ length: 10 }, () => 'x'.repeat(50)).join('\n');
    expect(cut(text, LIMITS)).toEqual({ output: { type: 'text', value: text }, truncated: false });
    const json = { items: [1, 2, 3, 4, 5], more: [{ nested: [] }] };
    expect(cut(json, LIMITS)).toEqual({ output: { type: 'json', value: json }, truncated: false });
    expect(cut('', LIMITS)).toEqual({ output: { type: 'text', value: '' }, truncated: false });
    expect(cut(null, LIMITS)).toEqual({ output: { type: 'json', value: null }, truncated: false });
  });

  it.each([
    ['too many lines', 'short\n'.repeat(30), `${'short\n'.repeat(10).slice(0, -1)}${NOTE}`],
    ['a line that is too long', `ok\n${'y'.repeat(60)}`, `ok\n${'y'.repeat(50)}${NOTE}`],
  ])('cuts a text with %s and marks the cut', (_, text, expected) => {
    expect(cut(text, LIMITS)).toEqual({ output: { type: 'text', value: expected }, truncated: true });
  });

  it('cuts lists wherever they are, and tells the model', () => {
    const value = { total: 9, items: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => ({ id, tags: ['a'] })) };
    const { output, truncated } = cut(value, LIMITS);
    expect(truncated).toBe(true);
    expect(output).toEqual({
      type: 'text',
      value: `${JSON.stringify({ ...value, items: value.items.slice(0, 5) })}${NOTE}`,
    });
  });

  it('never splits a character of two units, and never exceeds the limit', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 60, max: 300 }),
        (json, text, max) => {
          for (const value of [json as never, `👍${text}`.repeat(20)]) {
            const { output, truncated } = cut(value, { ...LIMITS, maxChars: max });
            const shown = toolOutputText(output);
            expect(shown.length).toBeLessThanOrEqual(max);
            expect(truncated).toBe(shown.endsWith(NOTE));
            expect(!truncated || typeof value !== 'string' || shown.isWellFormed() || !value.isWellFormed()).toBe(true);
          }
        },
      ),
    );
  });

  it('cuts the texts next to images, all together, and leaves the images', () => {
    const image = { type: 'file', mediaType: 'image/png', url: '@blob:blb_1' };
    const text = (value: string) => ({ type: 'text', text: value });
    const pieces = [text('a'.repeat(40)), image, text('b\n'.repeat(20)), text('c'), image];
    const { output, truncated } = truncateOutput({ type: 'content', value: pieces }, { ...LIMITS, maxChars: 100 });
    expect(truncated).toBe(true);
    expect(output).toEqual({
      type: 'content',
      value: [pieces[0], image, text(`b\nb\nb\nb\nb\nb\nb\n${NOTE}`), image],
    });
    const whole = { type: 'content', value: [text('a'), image] } as const;
    expect(truncateOutput({ ...whole, value: [...whole.value] }, LIMITS)).toEqual({ output: whole, truncated: false });
  });

  it('cuts error messages of a tool, too', () => {
    const { output } = truncateOutput({ type: 'error-text', value: 'no\n'.repeat(30) }, LIMITS);
    expect(output).toEqual({ type: 'error-text', value: `${'no\n'.repeat(10).slice(0, -1)}${NOTE}` });
  });
});
