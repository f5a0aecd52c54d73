import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engineSettingsSchema } from '#server/context/settings/context-settings';
import { createBudget } from '#server/context/budget';
import { strategies } from '#server/context/strategies';
import { NOTE_LABEL, SUMMARY_LABEL } from '#server/core/conversation/labels';
import { INPUT_CUT } from '#server/core/conversation/turns';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import { answerText, say } from '#tests/support/chat-client';
import { type OpenRouterChat, startOpenRouterChat, summaryText, talkBefore } from '#tests/support/openrouter-chat';
import type { FakeAnswer } from '#tests/support/openrouter-wire';
import type { RecordedRequest } from '#tests/support/request-log';
import { startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { type ScriptedStep, says, textBlock, toolCall } from '#tests/support/scripted-model';
import { findWireSequenceProblems } from '#tests/support/validate-model-messages';
import { isSummaryRequest } from '#tests/support/summary-requests';

const WINDOW = 16_000;

/** Far more text than the window holds, every word once. */
function endless(name: string): FakeAnswer {
  const line = (from: number) => Array.from({ length: 60 }, (_, index) => `${name}${from * 60 + index} `).join('');
  return { chunks: Array.from({ length: 300 }, (_, index) => line(index)), chunkDelayMs: 1 };
}

const wholeText = (answer: FakeAnswer) => answer.chunks?.join('') ?? '';
const wireTexts = (content: unknown): string[] =>
  typeof content === 'string' ? [content] : (content as { text?: string }[]).flatMap(({ text }) => text ?? []);

const lastWireText = (request: RecordedRequest | undefined) => JSON.stringify(request?.messages.at(-1)?.content);

/** A message's parts without what only the live stream knows of a compaction: its chunk's id, and that it pruned. */
function shown(message: ThroughlineUIMessage | undefined): unknown[] {
  return (message ? visibleParts(message) : []).map((part) => {
    const { type, data } = part as { type: string; data?: { phase: string; compactionId: string } };
    return data ? { type, phase: data.phase, compactionId: data.compactionId } : part;
  });
}

async function messagesOf({ services, session }: Pick<OpenRouterChat, 'services' | 'session'>) {
  return (await services.messages.list(session.id, { limit: 1_000 })).items;
}

describe('the real-time phase', () => {
  it('cuts a step at 90 % of the window, keeps its text, compacts and continues it', async () => {
    const long = endless('word');
    await using chat = await startOpenRouterChat([long, { text: 'And so it ends.' }]);
    const live = await say(chat.services, chat.session.id, 'Tell the whole story');

    const [cut, next] = chat.steps();
    expect(await chat.provider.waitForRequest((request) => request === cut && request.state !== 'open')).toMatchObject({
      state: 'client-closed',
    });
    const [user, answer, note, rest, ...more] = await messagesOf(chat);
    expect(more).toEqual([]);
    const text = answer?.parts[0]?.type === 'text' ? answer.parts[0].content.text : '';
    expect(wholeText(long).startsWith(text)).toBe(true);
    const { inputTokens = 0, outputTokens = 0 } = answer?.usage ?? {};
    expect(inputTokens + outputTokens).toBeGreaterThanOrEqual(0.9 * WINDOW);
    expect(inputTokens + outputTokens).toBeLessThan(0.95 * WINDOW);
    expect(rest?.parts).toMatchObject([{ type: 'text', content: { text: 'And so it ends.' } }]);

    expect(note).toMatchObject({ role: 'user', parentId: user?.id });
    expect(lastWireText(next)).toContain(NOTE_LABEL);
    expect(lastWireText(next)).toContain(text.slice(-200));
    expect(JSON.stringify(next?.messages.slice(1))).toContain(SUMMARY_LABEL);
    expect(JSON.stringify(next?.messages)).toContain('Tell the whole story');
    expect(findWireSequenceProblems(next?.messages ?? [])).toEqual([]);
    expect(await chat.services.compactions.list(chat.session.id)).toMatchObject([
      { trigger: 'real-time', status: 'completed' },
    ]);

    const [, reloaded, ...others] = await chat.services.transcript(chat.session.id);
    expect(others).toEqual([]);
    expect(shown(reloaded)).toEqual(shown(live));
    expect(reloaded?.id).toBe(live.id);
    expect(answerText(live)).toBe(`${text}\nAnd so it ends.`);
  });

  it('never takes its note for a request of the user', async () => {
    await using chat = await startOpenRouterChat([
      endless('one'),
      { text: 'Done.' },
      endless('two'),
      { text: 'Done.' },
    ]);
    await say(chat.services, chat.session.id, 'Tell the first story');
    await say(chat.services, chat.session.id, 'Tell the second story');
    const sent = chat.steps().at(-1)?.messages ?? [];
    // The summary and the request after it are one message of the user's role, in two parts.
    const users = sent.filter(({ role }) => role === 'user').flatMap(({ content }) => wireTexts(content));
    expect(users.at(-1)).toContain(NOTE_LABEL);
    expect(users).toContain('Tell the second story');
    const summary = users.find((content) => content.includes(SUMMARY_LABEL));
    expect(summary).toContain('Tell the first story');
    expect(summary).not.toContain('The answer was cut');
  });

  it("shows a user's text with any first words", async () => {
    await using chat = await startScriptedChat([says('Hello.')]);
    await chat.say(`${NOTE_LABEL} I wrote this myself.`);
    expect((await chat.services.transcript(chat.session.id)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('ends the turn when two cut steps in a row add nothing, and the next turn works', async () => {
    const thoughts: ScriptedStep = [
      { type: 'reasoning-start', id: 'r' },
      ...endlessWords().map((delta) => ({ type: 'reasoning-delta', id: 'r', delta }) as const),
    ];
    const story = [{ type: 'text-start', id: 't' } as const, ...endlessWords().map((delta) => ({ type: 'text-delta', id: 't', delta }) as const)]; // oxfmt-ignore
    await using chat = await startScriptedChat([thoughts, story, thoughts, thoughts, says('Back again.')], {
      CONTEXT_WINDOW: String(WINDOW),
    });
    const { errors } = await chat.say('Think without an end');
    expect(errors).toEqual([expect.stringContaining('twice in a row without anything new')]);
    expect(chat.requests).toHaveLength(4);
    const after = await chat.say('Stop. Are you there?');
    expect([after.errors, answerText(after.message)]).toEqual([[], 'Back again.']);
  });

  it('does not compact if that is disabled, and reports it', async () => {
    await using chat = await startOpenRouterChat([endless('word')], { env: { CONTEXT_AUTO_COMPACT: 'false' } });
    await expect(say(chat.services, chat.session.id, 'Go')).rejects.toThrow(/automatic compaction is switched off/);
    expect(await chat.services.compactions.list(chat.session.id)).toEqual([]);
    expect((await messagesOf(chat)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('runs the complete calls of a cut step and keeps the input of the one that was not complete', async () => {
    const cut: ScriptedStep = [
      ...textBlock('t', 'Two pages.'),
      ...toolCall('c1', 'create_content', '{"type":"page","title":"Whole"}'),
      { type: 'tool-input-start', id: 'c2', toolName: 'create_content' },
      ...endlessInput('c2', '{"type":"page","title":"Half","excerpt":"'),
    ];
    await using chat = await startScriptedChat([cut, says('Done.')], { CONTEXT_WINDOW: String(WINDOW) });
    const { message, errors } = await chat.say('Make two pages');
    expect(errors).toEqual([]);
    const { entries } = await pagesOf(chat.services);
    expect(entries).toEqual(['Whole']);
    expect(message.parts.filter((part) => part.type === 'tool-create_content')).toMatchObject([
      { toolCallId: 'c1', state: 'output-available' },
      { toolCallId: 'c2', state: 'output-error', errorText: INPUT_CUT },
    ]);
    const parts = (await messagesOf(chat)).flatMap((stored) => stored.parts);
    const kept = parts.find((part) => part.type === 'tool-call' && part.content.toolCallId === 'c2');
    const written = expect.stringMatching(/^{"type":"page","title":"Half","excerpt":"word0 word1 /) as string;
    expect(kept).toMatchObject({ state: 'error', content: { input: written } });
    expect(JSON.stringify(chat.requests[1]?.prompt.at(-1))).toContain(`recall_output id: ${kept?.id}`);
    expect(JSON.stringify(chat.requests[1]?.prompt.at(-1))).toContain('The call of create_content was not complete');
    const [, reloaded] = await chat.services.transcript(chat.session.id);
    expect(shown(reloaded)).toEqual(shown(message));
  });

  it('makes a call that fills the window again, but not for ever', async () => {
    const cut = (name: string): ScriptedStep => [
      { type: 'tool-input-start', id: 'c1', toolName: 'create_content' },
      ...endlessInput('c1', `{"type":"page","title":"${name}","excerpt":"`, name),
    ];
    const four = [cut('four'), cut('five'), cut('six'), cut('seven')];
    const steps = [cut('one'), cut('two'), cut('three'), says('Shorter now.'), ...four];
    await using chat = await startScriptedChat(steps, { CONTEXT_WINDOW: String(WINDOW) });
    const { message, errors } = await chat.say('Make a page');
    expect([errors, answerText(message)]).toEqual([[], 'Shorter now.']);
    const again = await chat.say('Make another one');
    expect(again.errors).toEqual([expect.stringContaining('in smaller pieces')]);
    expect(chat.requests).toHaveLength(8);
  });

  it("continues an answer that our output cap has cut, and leaves the model's own cap alone", async () => {
    const length = { finishReason: 'length' };
    const capOf = ({ body }: Pick<RecordedRequest, 'body'>) => body.max_tokens ?? 0;
    await using chat = await startOpenRouterChat((request, index) => {
      if (isSummaryRequest(request)) return { text: summaryText };
      // All that it was allowed went into hidden thoughts, but for two words.
      if (index === 0) return { text: 'Once upon', ...length, usage: { completionTokens: capOf(request) } };
      return chat.steps().length < 3 ? { text: 'a time.' } : { text: 'And then', ...length };
    });
    await talkBefore(chat, 6_000);
    const live = await say(chat.services, chat.session.id, 'Tell');
    expect(answerText(live)).toBe('Once upon\na time.');
    expect(await chat.services.compactions.list(chat.session.id)).toMatchObject([{ trigger: 'real-time' }]);
    const [capped, next] = chat.steps();
    expect(capped?.body.max_tokens).toBeLessThan(WINDOW / 2);
    expect(lastWireText(next)).toContain('Once upon');

    // This one ends far below what it was allowed.
    const told = 'longest output that the model gives';
    await expect(say(chat.services, chat.session.id, 'Tell more')).rejects.toThrow(told);
    expect(chat.steps()).toHaveLength(3);
    expect(chat.steps()[2]?.body.max_tokens).toBeGreaterThan(capped?.body.max_tokens ?? WINDOW);
    expect((await messagesOf(chat)).at(-1)).toMatchObject({
      finishReason: 'length',
      error: expect.stringContaining(told) as string,
    });
  });

  it('is above the trigger of every strategy, for any settings', () => {
    const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    const settings = fc
      .record({
        usableShare: share(0.3, 0.95),
        realTimeShare: share(0.5, 0.98),
        proactiveThreshold: share(0.1, 0.95),
        middleRemovalThreshold: share(0.1, 0.95),
        pruningAgentThreshold: share(0.1, 0.95),
        outputReserve: fc.integer({ min: 1, max: 100_000 }),
      })
      .map((values) => engineSettingsSchema.safeParse(values).data)
      .filter((values) => values !== undefined);
    const model = fc.record({
      contextWindow: fc.integer({ min: 4_000, max: 1_000_000 }),
      maxOutputTokens: fc.integer({ min: 1, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(settings, model, (values, window) => {
        const full = { ...values, exemptTools: new Set<string>() };
        const budget = createBudget(window, full, 1_000);
        for (const strategy of Object.values(strategies)) {
          expect(strategy.trigger(budget, full)).toBeLessThanOrEqual(budget.usable);
        }
        expect(budget.usable).toBeLessThanOrEqual(budget.realTimeLimit);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the tool-response phase', () => {
  it('compacts the history and shows the results whole when they then fit', async () => {
    await using chat = await startOpenRouterChat([readPages('Long 1'), { text: 'Read.' }]);
    await talkBefore(chat, 6_000);
    await longPages(chat, 1, 4_000);
    await say(chat.services, chat.session.id, 'Read it');

    expect(await chat.services.compactions.list(chat.session.id)).toMatchObject([
      { trigger: 'tool-response', status: 'completed', strategy: 'reactive-overflow' },
    ]);
    const [result] = await resultsOf(chat);
    expect(result?.compactedAt).toBeNull();
    expect(toolMessages(chat.steps()[1])).toEqual([toolOutputText(result!.content.output)]);
  });

  it('shows an excerpt of what does not even fit then, and recall_output pages through all of it', async () => {
    let id: string | undefined;
    await using chat = await startOpenRouterChat((request) => {
      if (isSummaryRequest(request)) return { text: summaryText };
      const newest = toolMessages(request).at(-1) ?? '';
      if (newest === '') return readPages('Long 1', 'Long 2');
      if (id === undefined) {
        id = /recall_output id: (prt_\w+)/.exec(toolMessages(request)[0] ?? '')?.[1] ?? 'none';
        return recall(id, 0);
      }
      const { nextOffset } = JSON.parse(newest) as { nextOffset?: number };
      return nextOffset === undefined ? { text: 'Read.' } : recall(id, nextOffset);
    });
    await talkBefore(chat, 4_000);
    await longPages(chat, 2, 6_500);
    await say(chat.services, chat.session.id, 'Read both');

    const [first, second] = await resultsOf(chat);
    const texts = [first, second].map((result) => toolOutputText(result!.content.output));
    expect(texts.every((text) => text.length > 15_000)).toBe(true);
    const sent = toolMessages(chat.steps()[1]);
    expect(sent).toHaveLength(2);
    for (const [index, text] of sent.entries()) {
      const [shownText = ''] = text.split('\n\n[');
      expect(texts[index]?.startsWith(shownText)).toBe(true);
      expect(shownText.length).toBeGreaterThan(2_000);
      expect(text).toContain(`recall_output id: ${[first, second][index]?.id}]`);
    }
    const recalled = (await resultsOf(chat)).filter(({ content }) => content.toolName === 'recall_output');
    expect(recalled.length).toBeGreaterThan(1);
    const pages = recalled.map(({ content }) => (content.output as unknown as { value: { text: string } }).value.text);
    expect(pages.join('')).toBe(texts[0]);
    for (const request of chat.steps()) expect(findWireSequenceProblems(request.messages)).toEqual([]);
  });
});

function endlessInput(id: string, start: string, word?: string): LanguageModelV4StreamPart[] {
  return [start, ...endlessWords(word)].map((text) => ({ type: 'tool-input-delta', id, delta: text }));
}

/** Far more text than the window holds, every word once, in pieces. */
function endlessWords(word = 'word'): string[] {
  const piece = (from: number) => Array.from({ length: 100 }, (_, index) => `${word}${from * 100 + index} `).join('');
  return Array.from({ length: 100 }, (_, index) => piece(index));
}

/** Of a section: less than a page of one. */
const LINES = 25;

/** Pages "Long 1", "Long 2" ... whose text is about so many tokens. */
async function longPages({ services }: OpenRouterChat, count: number, tokens: number): Promise<void> {
  const line = 'Every piece is thrown by hand and fired twice in the kiln.\n';
  // Several sections: a long text is read in pages.
  const body = line.repeat(LINES);
  const sections = Array.from(
    { length: Math.ceil(tokens / (LINES * 14)) },
    () => ({ type: 'text', fields: { body } }) as const,
  );
  for (let page = 1; page <= count; page += 1) {
    await services.builtIn.content.create({ type: 'page', title: `Long ${page}`, sections }, { actor: 'user' });
  }
}

function readPages(...titles: string[]): FakeAnswer {
  const read = (title: string) => ({ id: `read ${title}`, name: 'get_content', input: { ref: title } });
  return { toolCalls: titles.map(read) };
}

function recall(id: string, offset: number): FakeAnswer {
  return { toolCalls: [{ id: `recall ${offset}`, name: 'recall_output', input: { id, offset } }] };
}

async function pagesOf(services: OpenRouterChat['services']) {
  const { items } = await services.builtIn.content.query({ type: 'page' });
  return { entries: items.map(({ title }) => title) };
}

async function resultsOf(chat: Pick<OpenRouterChat, 'services' | 'session'>) {
  const parts = (await messagesOf(chat)).flatMap((message) => message.parts);
  return parts.filter((part) => part.type === 'tool-result');
}

/** What the model was shown as the results of tools. */
function toolMessages(request: Pick<RecordedRequest, 'messages'> | undefined): string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}
