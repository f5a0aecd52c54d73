import { APICallError, RetryError } from 'ai';
import { describe, expect, it } from 'vitest';
import { SUMMARY_LABEL } from '#server/core/conversation/labels';
import { answerText, say } from '#tests/support/chat-client';
import { contextOverflowResponse, type FakeResponse } from '#tests/support/fake-openrouter';
import { type OpenRouterChat, startOpenRouterChat, talkBefore } from '#tests/support/openrouter-chat';
import type { RecordedRequest } from '#tests/support/request-log';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { says } from '#tests/support/scripted-model';
import { findWireSequenceProblems } from '#tests/support/validate-model-messages';
import { isSummaryRequest } from '#tests/support/summary-requests';

/** Read by the SDK's package for OpenRouter, and by the one for OpenAI-compatible servers. */
const WIRES = ['openai/gpt-4o', 'local/llama'] as const;

const OVERFLOW = contextOverflowResponse(16_000, 17_500);
const TOO_LONG = { code: 400, message: 'prompt is too long: 17500 tokens > 16000 maximum' };
const ANSWER: FakeResponse = { text: 'Here you are.' };
const soon = { 'retry-after-ms': '1' };
/** Speaks of tokens and is no overflow. */
const TOKENS_PER_MINUTE =
  'This request would exceed your rate limit of 40,000 input tokens per minute. Reduce the prompt length or wait.';

/** What comes before the answer. */
const RECOVERED: Readonly<Record<string, readonly FakeResponse[]>> = {
  'as an HTTP error 400': [OVERFLOW],
  'as an HTTP error 413 that says nothing': [{ error: { status: 413, message: '' } }],
  'as an HTTP error 500, as llama.cpp had it': [
    { error: { status: 500, message: 'the request exceeds the available context size, try increasing it' } },
  ],
  'quoted by the provider in between': [
    {
      error: {
        status: 400,
        message: 'Provider returned error',
        metadata: { raw: JSON.stringify({ error: TOO_LONG }) },
      },
    },
  ],
  'as a "200 with a JSON error"': [{ error: { status: 200, ...TOO_LONG } }],
  'as a "200 with a JSON error" that names no status': [
    { error: { status: 200, code: 'exceed_context_size_error', message: 'Too long.' } },
  ],
  'inside the stream, before any text': [{ errorInStream: TOO_LONG }],
  'inside the stream, after text': [{ errorInStream: TOO_LONG, afterText: 'Let me see: ' }],
  'after a connection that dropped': [{ dropConnectionAfter: '' }, OVERFLOW],
  'after a "200 with a JSON error"': [{ error: { status: 200, code: 502, message: 'Upstream failed' } }, OVERFLOW],
  'after a rate limit that speaks of tokens': [
    { error: { status: 429, message: TOKENS_PER_MINUTE, headers: soon } },
    OVERFLOW,
  ],
};

async function start(model: (typeof WIRES)[number], responses: readonly FakeResponse[], autoCompact = 'true') {
  const chat = await startOpenRouterChat(responses, { model, env: { CONTEXT_AUTO_COMPACT: autoCompact } });
  await talkBefore(chat, 5_000);
  return chat;
}

/** Everything that was said before, to the byte. */
async function saidSoFar({ services, session }: OpenRouterChat): Promise<string> {
  return JSON.stringify((await services.messages.list(session.id, { limit: 1_000 })).items.map(({ parts }) => parts));
}

/** The instructions explain what a summary is; they are left out. */
const conversationOf = ({ messages }: RecordedRequest) => messages.filter(({ role }) => role !== 'system');

const compactionsOf = async ({ services, session }: OpenRouterChat) =>
  (await services.compactions.list(session.id)).filter(({ strategy }) => strategy !== 'prune');

/** Nothing of what was stored before is gone, and the user's request is. */
async function expectAllKept(chat: OpenRouterChat, before: string): Promise<void> {
  const now = await saidSoFar(chat);
  expect(now.startsWith(before.slice(0, -1))).toBe(true);
  expect(now).toContain('List the posts');
}

describe.each(WIRES)("a provider's overflow, on the wire of %s", (model) => {
  // Without automatic compaction the conversation would have no other way to recover.
  const cases = Object.entries(RECOVERED).flatMap(([name, responses], index) =>
    (index === 0 ? ['true', 'false'] : ['true']).map((autoCompact) => ({ name, responses, autoCompact })),
  );

  it.each(cases)(
    '$name: one compaction, one retry (automatic compaction: $autoCompact)',
    async ({ responses, autoCompact }) => {
      await using chat = await start(model, [...responses, ANSWER], autoCompact);
      const before = await saidSoFar(chat);
      const answer = await say(chat.services, chat.session.id, 'List the posts');

      expect(answerText(answer)).toMatch(/Here you are\.$/);
      expect(chat.steps()).toHaveLength(responses.length + 1);
      expect(await compactionsOf(chat)).toMatchObject([
        { trigger: 'provider-overflow', status: 'completed', round: 1 },
      ]);
      expect(chat.provider.requests.filter(isSummaryRequest)).toHaveLength(1);
      const [refused, retried] = chat.steps().slice(-2).map(conversationOf);
      expect(JSON.stringify(refused)).not.toContain(SUMMARY_LABEL);
      expect(JSON.stringify(retried)).toContain(SUMMARY_LABEL);
      expect(JSON.stringify(retried)).toContain('List the posts');
      expect(findWireSequenceProblems(retried ?? [])).toEqual([]);
      await expectAllKept(chat, before);
    },
  );

  it.each([
    ['the same overflow again', [OVERFLOW, OVERFLOW], /context window/, 1],
    ['a dropped connection after text', [{ dropConnectionAfter: 'The posts are' }], /connection/, 0],
    ['an overflow, then a dropped connection after text', [OVERFLOW, { dropConnectionAfter: 'The' }], /connection/, 1],
    [
      'a rate limit that speaks of tokens and does not pass',
      Array.from({ length: 3 }, () => ({ error: { status: 429, message: TOKENS_PER_MINUTE, headers: soon } })),
      /asks for a pause/,
      0,
    ],
  ] as const)('ends the turn clearly, with everything kept: %s', async (_, responses, error, compactions) => {
    await using chat = await start(model, [...responses, ANSWER]);
    const before = await saidSoFar(chat);
    await expect(say(chat.services, chat.session.id, 'List the posts')).rejects.toThrow(error);

    expect(chat.steps()).toHaveLength(responses.length);
    expect(await compactionsOf(chat)).toHaveLength(compactions);
    await expectAllKept(chat, before);
    const { items } = await chat.services.messages.list(chat.session.id, { limit: 1_000 });
    expect(items.at(-1)).toMatchObject({ role: 'assistant', status: 'failed', error: expect.stringMatching(error) });
    const next = await say(chat.services, chat.session.id, 'Are you there?');
    expect(answerText(next)).toBe('Here you are.');
  });
});

it('an overflow as the last error of a RetryError is recovered from once', async () => {
  const request = { url: 'http://provider.test', requestBodyValues: {} };
  const busy = new APICallError({ ...request, message: 'Overloaded', statusCode: 529 });
  const tooLong = new APICallError({ ...request, message: TOO_LONG.message, statusCode: 400 });
  const error = new RetryError({ message: 'Failed.', reason: 'maxRetriesExceeded', errors: [busy, tooLong] });
  const env = { CONTEXT_WINDOW: '16000', CONTEXT_STRATEGY: 'ledger' };
  await using chat = await startScriptedChat([error, says('Here you are.')], env);
  await talkBefore(chat, 5_000);
  const { message, errors } = await chat.say('List the posts');
  expect(errors).toEqual([]);
  expect(answerText(message)).toBe('Here you are.');
  expect(chat.requests).toHaveLength(2);
  expect(await chat.services.compactions.list(chat.session.id)).toMatchObject([{ trigger: 'provider-overflow' }]);
});
