import { afterEach, describe, expect, it } from 'vitest';
import { countTokens } from '#server/context/tokens';
import { requestGate } from '#server/models/wire/request-gate';
import { answerText, say } from '#tests/support/chat-client';
import { startCompletionsServer } from '#tests/support/completions-server';
import {
  type SentBody,
  type ServerAnswer,
  type ServerChat,
  saysText,
  startModelServer,
  startServerChat,
} from '#tests/support/model-server';
import { summaryText } from '#tests/support/openrouter-chat';

/*
 * Servers that count the tokens of a request for free: llama.cpp (POST /apply-template and /tokenize) and vLLM (POST
 * /tokenize). How far our own count is off was measured with the vocabulary of a small model.
 */

const WINDOW = 8_192;
const TEXTS = {
  German: ['Der Brennofen wird zweimal im Jahr mit Birkenholz geheizt, immer im Mai und im Oktober. ', 1.45],
  Japanese: ['窯は年に二回、五月と十月に白樺の薪で焚きます。器はその前に二週間乾かします。', 1.98],
  Russian: ['Печь топят берёзовыми дровами два раза в год, всегда в мае и в октябре. ', 2.44],
} as const;

type Counted = Pick<SentBody, 'messages' | 'tools'>;

/** Answers of a server with this vocabulary; `refused` counts requests that were too long. */
function serverOf(kind: 'llama.cpp' | 'vLLM', factor: number) {
  const seen = { refused: 0, counted: 0 };
  const size = ({ messages, tools }: Counted) =>
    Math.ceil(countTokens(JSON.stringify(messages.map(({ content }) => content))) * factor) +
    countTokens(JSON.stringify(tools ?? []));
  const answer = (body: SentBody): ServerAnswer => {
    if (size(body) <= WINDOW) return saysText('Ja.');
    seen.refused += 1;
    return { status: 400, json: { error: { code: 400, type: 'exceed_context_size_error', n_ctx: WINDOW } } };
  };
  const counts = (body: Counted) => {
    seen.counted += 1;
    return size(body);
  };
  const others =
    kind === 'vLLM'
      ? {
          '/v1/models': { data: [{ id: 'm', owned_by: 'vllm', max_model_len: WINDOW }] },
          '/tokenize': (body: Counted) => ({ count: counts(body), max_model_len: WINDOW, tokens: [] }),
        }
      : {
          '/props': { default_generation_settings: { n_ctx: WINDOW }, model_alias: 'm', model_path: '' },
          '/apply-template': (body: Counted) => ({ prompt: JSON.stringify(body) }),
          '/tokenize': ({ content }: { content: string }) => ({
            tokens: Array.from({ length: counts(JSON.parse(content) as Counted) }, (_, index) => index),
          }),
        };
  return { seen, options: { answer, others } };
}

/** A conversation of this many tokens by our count, whose answers came without usage. */
async function talk({ services, session }: ServerChat, text: string, tokens: number): Promise<void> {
  const part = text.repeat(Math.ceil(tokens / 6 / countTokens(text)));
  for (let index = 0; index < 6; index += 1) {
    const role = index % 2 === 0 ? ('user' as const) : ('assistant' as const);
    await services.messages.append(session.id, { role, parts: [{ type: 'text', content: { text: part } }] });
  }
}

const cases = [
  ['llama.cpp', 'Russian'],
  ['vLLM', 'Japanese'],
] as const;

describe('a server that counts tokens', () => {
  it.each(cases)('%s gets no request in %s that is too long for its vocabulary', async (kind, language) => {
    const [text, factor] = TEXTS[language];
    const { seen, options } = serverOf(kind, factor);
    await using chat = await startServerChat(options);
    await chat.services.models.refresh(true);
    // Fits by our count, and not by that of the server.
    await talk(chat, text, (WINDOW * 0.75) / 1.1 / Math.min(factor, 1.2));
    expect(answerText(await say(chat.services, chat.session.id, text))).toBe('Ja.');
    expect(seen.refused).toBe(0);
    expect(seen.counted).toBeGreaterThan(0);
    expect((await chat.compactions()).map(({ trigger }) => trigger)).not.toContain('provider-overflow');
  });

  it('is asked only for a request that no report covers', async () => {
    const { seen, options } = serverOf('llama.cpp', 1);
    const usage = { prompt_tokens: 2_000, completion_tokens: 1, total_tokens: 2_001 };
    const answer = (): ServerAnswer => ({
      sse: `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`,
    });
    await using chat = await startServerChat({ ...options, answer });
    await chat.services.models.refresh(true);
    for (const text of ['One', 'Two', 'Three']) await say(chat.services, chat.session.id, text);
    expect(seen.counted).toBe(1);
  });

  it('is not asked while it answers', async () => {
    const { seen, options } = serverOf('llama.cpp', 1);
    await using chat = await startServerChat(options);
    await chat.services.models.refresh(true);
    const leave = await requestGate(chat.server.baseUrl).enter(1, 2, undefined, () => undefined);
    const answer = say(chat.services, chat.session.id, 'Hello');
    await expect.poll(() => requestGate(chat.server.baseUrl).waiting).toBe(1);
    expect(seen.counted).toBe(0);
    leave();
    expect(answerText(await answer)).toBe('Ja.');
  });

  it('is asked once where it has no paths for counting', async () => {
    const { options } = serverOf('llama.cpp', 1);
    const { '/props': props } = options.others as Record<string, unknown>;
    await using chat = await startServerChat({ ...options, others: { '/props': props } });
    await chat.services.models.refresh(true);
    for (const text of ['One', 'Two', 'Three']) await say(chat.services, chat.session.id, text);
    expect(chat.server.asked.filter((path) => path === '/apply-template')).toHaveLength(1);
  });
});

describe('over /v1, a server that counts tokens', () => {
  const asked: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of asked.splice(0).toReversed()) await each[Symbol.asyncDispose]();
  });

  /** Our /v1 before such a server; it writes summaries, which are not streamed. */
  async function start(kind: 'llama.cpp' | 'vLLM', factor: number) {
    const { seen, options } = serverOf(kind, factor);
    const summary = { id: 's', choices: [{ index: 0, message: { role: 'assistant', content: summaryText } }] };
    const model = await startModelServer({
      ...options,
      answer: (body) => (body.stream ? options.answer(body) : { status: 200, json: summary }),
    });
    asked.push(model);
    const ours = await startCompletionsServer({
      respond: () => ({ text: '' }),
      env: { OPENAI_COMPATIBLE_BASE_URL: model.baseUrl, CONTEXT_WINDOW: String(WINDOW) },
    });
    asked.push(ours);
    const ask = async (text: string, tokens: number) => {
      const part = text.repeat(Math.ceil(tokens / 7 / countTokens(text)));
      const messages = Array.from({ length: 7 }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: part,
      }));
      const { choices } = await ours.openai.chat.completions.create({ model: 'local/m', messages });
      return choices[0]?.message.content;
    };
    return { seen, ask, model };
  }

  it.each(cases)('%s gets no request in %s that is too long for its vocabulary', async (kind, language) => {
    const [text, factor] = TEXTS[language];
    const { seen, ask } = await start(kind, factor);
    // By our count it is well below the limit at which a conversation is compacted.
    expect(await ask(text, WINDOW * 0.45)).toBe('Ja.');
    expect(seen.refused).toBe(0);
    expect(seen.counted).toBeGreaterThan(0);
  });

  it('is not asked for a request that fits in any vocabulary, nor while it answers', async () => {
    const { seen, ask, model } = await start('llama.cpp', 1);
    expect(await ask(TEXTS.German[0], WINDOW / 5)).toBe('Ja.');
    const leave = await requestGate(model.baseUrl).enter(1, 2, undefined, () => undefined);
    const answer = ask(TEXTS.German[0], WINDOW / 2);
    await expect.poll(() => requestGate(model.baseUrl).waiting).toBe(1);
    leave();
    expect(await answer).toBe('Ja.');
    expect(seen.counted).toBe(0);
    expect(await ask(TEXTS.German[0], WINDOW / 2)).toBe('Ja.');
    expect(seen.counted).toBe(1);
  });
});
