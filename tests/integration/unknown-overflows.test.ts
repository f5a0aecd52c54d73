import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SUMMARY_LABEL } from '#server/core/conversation/labels';
import { answerText, say } from '#tests/support/chat-client';
import { startCompletionsServer } from '#tests/support/completions-server';
import { saysText, type ServerAnswer, startModelServer, startServerChat } from '#tests/support/model-server';
import { talkBefore } from '#tests/support/openrouter-chat';
import { isDeep } from '#tests/support/deep';

/*
 * Servers that refuse a request for its length, in known words (tests/fixtures/model-servers/overflows.json, with the
 * products that send them) or in unknown ones.
 */

interface Overflow {
  readonly status?: number;
  readonly sse?: string;
  readonly body: unknown;
}

const overflows = JSON.parse(readFileSync('tests/fixtures/model-servers/overflows.json', 'utf8')) as (Overflow & {
  readonly who: string;
})[];

const asAnswer = ({ status, sse, body }: Overflow): ServerAnswer =>
  status === undefined ? { sse: `${sse}\ndata: ${JSON.stringify(body)}\n\n` } : { status, json: body };

/** A conversation of about 6,000 tokens with a server that refuses requests of so many characters of messages. */
async function converse(refusal: ServerAnswer, window: string, limit = 18_000) {
  const chat = await startServerChat(
    {
      answer: ({ messages }) => (JSON.stringify(messages).length > limit ? refusal : saysText('Here you are.')),
    },
    { env: { CONTEXT_WINDOW: window } },
  );
  await talkBefore(chat, 6_000);
  return chat;
}

async function expectRecovered(refusal: ServerAnswer, window = '64000') {
  await using chat = await converse(refusal, window);
  const answer = await say(chat.services, chat.session.id, 'List the posts');
  expect(answerText(answer)).toBe('Here you are.');
  expect(await chat.compactions()).toMatchObject([{ trigger: 'provider-overflow', status: 'completed' }]);
  const retried = JSON.stringify(chat.steps().at(-1)!.messages);
  expect(retried).toContain(SUMMARY_LABEL);
  expect(retried).toContain('List the posts');
  // The next message does not meet the limit again.
  expect(answerText(await say(chat.services, chat.session.id, 'And now?'))).toBe('Here you are.');
  expect(await chat.compactions()).toHaveLength(1);
}

it.each(overflows.map((overflow) => [`${overflow.who}, ${overflow.status ?? overflow.sse}`, overflow] as const))(
  'compacts once and asks again after the words of %s',
  async (_, overflow) => {
    await expectRecovered(asAnswer(overflow));
  },
);

it('compacts once for any words with which a server refuses a long request', async () => {
  const status = fc.constantFrom(400, 413, 422, 500);
  const words = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' });
  const body = fc.oneof(
    words.map((message) => ({ error: { message } })),
    words.map((message) => ({ message })),
    words.map((error) => ({ error })),
    fc.tuple(words, words).map(([code, msg]) => ({ code, msg, detail: [{ msg }] })),
    fc.jsonValue({ maxDepth: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(status, body, async (code, json) => {
      await expectRecovered({ status: code, json });
    }),
    { numRuns: isDeep ? 100 : 3 },
  );
});

it('leaves a conversation unchanged if a request of a size that passed before is refused', async () => {
  let isBroken = false;
  await using chat = await startServerChat(
    { answer: () => (isBroken ? { status: 400, json: { error: 'bad schema' } } : saysText('Fine.')) },
    { env: { CONTEXT_WINDOW: '64000' } },
  );
  await talkBefore(chat, 6_000);
  await say(chat.services, chat.session.id, 'Hello?');
  isBroken = true;
  const other = await chat.services.sessions.create({ ownerId: 'own_local' });
  await talkBefore({ services: chat.services, session: other }, 3_000);
  await expect(say(chat.services, other.id, 'Hello?')).rejects.toThrow(/did not accept the request/);
  expect(await chat.services.compactions.list(other.id)).toEqual([]);
});

it('answers a client of /v1 with 400 and context_length_exceeded where nothing helps', async () => {
  for (const overflow of overflows) {
    await using server = await startModelServer({ answer: () => asAnswer(overflow) });
    await using ours = await startCompletionsServer({
      respond: () => ({ text: '' }),
      env: { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl },
    });
    const response = await fetch(`${ours.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/m', messages: [{ role: 'user', content: 'Hello?' }] }),
    });
    expect([overflow.who, response.status, await response.json()]).toMatchObject([
      overflow.who,
      400,
      { error: { code: 'context_length_exceeded' } },
    ]);
  }
});
