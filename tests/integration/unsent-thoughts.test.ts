import { describe, expect, it } from 'vitest';
import { countTokens } from '#server/context/tokens';
import { answerText, say } from '#tests/support/chat-client';
import { chunk, type SentBody, startServerChat } from '#tests/support/model-server';

/*
 * Servers that count thoughts as a part of the answer and report them in different ways, or not at all. Thoughts are not
 * sent again after the turn, so they must not fill the window.
 */

const LANGUAGES = {
  English: 'The user says hello, so I answer with a greeting and offer help with the pages. ',
  Japanese: '利用者が挨拶をしているので、挨拶を返してから、ページについて手伝えることを伝えます。',
  Russian: 'Пользователь здоровается, поэтому я отвечу приветствием и предложу помощь со страницами. ',
};

/** Numbered, because a repeated passage would end the answer. */
const thoughtsIn = (language: keyof typeof LANGUAGES, sentences: number) =>
  Array.from({ length: sentences }, (_, index) => `${index}. ${LANGUAGES[language]}`).join('');

const answerOf = (sentences: number) =>
  Array.from({ length: sentences }, (_, index) => `Hello ${index}! What can I do for you? `)
    .join('')
    .trim();

interface Style {
  /** The thoughts as events of the stream. */
  readonly thoughts: (text: string) => string;
  /** Fields of the usage besides the three counts. @param tokens of the thoughts */
  readonly details?: (tokens: number) => object;
  readonly language?: keyof typeof LANGUAGES;
  /** Default 150: the thoughts of eight answers are larger than the window. */
  readonly sentences?: number;
  /** Sentences of the answer. Default 1. */
  readonly said?: number;
  /** Tokens of the server's vocabulary for a token of ours. Default 1. */
  readonly factor?: number;
}

const field = (name: string) => (text: string) => chunk({ content: '', [name]: text });

const STYLES: Readonly<Record<string, Style>> = {
  // vLLM with a reasoning parser, before it counted thoughts (vllm-project/vllm issue 50895).
  'vLLM, without details': { thoughts: field('reasoning'), details: () => ({ completion_tokens_details: null }) },
  'vLLM, without details, beside a long answer': { thoughts: field('reasoning'), sentences: 80, said: 60 },
  // SGLang before its pull request 15562.
  'SGLang, with a count of 0': {
    thoughts: field('reasoning_content'),
    details: () => ({ reasoning_tokens: 0, completion_tokens_details: { reasoning_tokens: 0 } }),
  },
  // A count of the text between two marks, of which the template has already written the first one (vllm-project/vllm
  // pull request 44398).
  'vLLM, with a count that is too low': {
    thoughts: field('reasoning'),
    details: () => ({ completion_tokens_details: { reasoning_tokens: 3 } }),
  },
  // Mistral's Magistral sends a list of parts (docs.mistral.ai, Reasoning).
  'Mistral, as parts of the content': {
    thoughts: (text) => chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
  },
  // Groq's reasoning_format "hidden", and gateways that remove the field of the thoughts.
  'a gateway that hides them': { thoughts: () => '' },
  'a gateway that hides a few': { thoughts: () => '', sentences: 12 },
  'a small vocabulary, in Japanese': {
    thoughts: field('reasoning_content'),
    language: 'Japanese',
    sentences: 60,
    factor: 1.98,
  },
  'a small vocabulary, in Russian': {
    thoughts: field('reasoning_content'),
    language: 'Russian',
    sentences: 60,
    factor: 2.44,
  },
  'a correct count': {
    thoughts: field('reasoning'),
    details: (tokens) => ({ completion_tokens_details: { reasoning_tokens: tokens } }),
  },
};

const WINDOW = 16_384;

describe('thoughts that are not sent again do not count:', () => {
  it.each(Object.entries(STYLES))(
    '%s',
    async (_, { thoughts, details, language = 'English', sentences = 150, said = 1, factor = 1 }) => {
      const text = thoughtsIn(language, sentences);
      const answer = answerOf(said);
      const thought = Math.ceil(countTokens(text) * factor);
      const size = ({ messages, tools }: SentBody) => countTokens(JSON.stringify({ messages, tools }));
      await using chat = await startServerChat(
        {
          answer(body) {
            const [read, written] = [size(body), thought + countTokens(answer) + 4];
            const usage = { prompt_tokens: read, completion_tokens: written, total_tokens: read + written };
            const end = `data: ${JSON.stringify({ id: 'c1', choices: [], usage: { ...usage, ...details?.(thought) } })}\n\n`;
            return { sse: `${thoughts(text)}${chunk({ content: answer })}${chunk({}, 'stop')}${end}data: [DONE]\n\n` };
          },
        },
        { env: { CONTEXT_WINDOW: String(WINDOW) } },
      );
      const { services, session } = chat;
      for (let index = 0; index < 8; index += 1) {
        expect(answerText(await say(services, session.id, `Hello, for the ${index}. time`))).toBe(answer);
      }
      expect(await services.compactions.list(session.id)).toEqual([]);
      await services.messages.append(session.id, {
        role: 'user',
        parts: [{ type: 'text', content: { text: 'And?' } }],
      });
      const sent = size(chat.steps().at(-1)!);
      const { currentTokens, contextWindow } = (await services.context.inspect(session)).usage;
      expect(contextWindow).toBe(WINDOW);
      expect(currentTokens).toBeGreaterThan(sent * 0.88);
      expect(currentTokens).toBeLessThan(sent * 1.12);
    },
  );
});
