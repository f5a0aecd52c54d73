import { z } from 'zod';
import { parseJson } from '#server/core/json';

/* Servers that count the tokens of a request without running the model. Our own count uses the vocabulary of OpenAI,
   which for a small model was too low by a factor of 1.45 in German and 2.44 in Russian (measured with a vocabulary of
   49,152 tokens). */

/** POSTs a body to a path of the server. @throws Error if it does not answer */
type Ask = (path: string, body: unknown) => Promise<unknown>;

const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ content: z.unknown() })),
  tools: z.array(z.unknown()).optional(),
});
const promptSchema = z.object({ prompt: z.string() });
const tokensSchema = z.object({ tokens: z.array(z.unknown()) });
const countSchema = z.object({ count: z.int().positive() });

/** The ways in which servers count, by kind of server. */
const counters = {
  // llama.cpp, tools/server/README.md: POST /apply-template returns the prompt of a chat request, POST /tokenize its
  // tokens. A server with several models needs the model's name in both.
  'llama.cpp': async (ask, { model, messages, tools }) => {
    const { prompt } = promptSchema.parse(await ask('/apply-template', { model, messages, tools }));
    const content = { model, content: prompt, add_special: true, parse_special: true };
    return tokensSchema.parse(await ask('/tokenize', content)).tokens.length;
  },
  // vLLM, entrypoints/openai/protocol.py: TokenizeChatRequest.
  vllm: async (ask, { model, messages, tools }) =>
    countSchema.parse(await ask('/tokenize', { model, messages, tools, add_generation_prompt: true })).count,
} satisfies Record<string, (ask: Ask, request: z.infer<typeof requestSchema>) => Promise<number>>;

export const canCount = (kind: string | null): kind is keyof typeof counters =>
  kind !== null && Object.hasOwn(counters, kind);

/**
 * Counts a chat completions request.
 * @returns null for a request with pictures, of which only the model knows the tokens
 * @throws Error if the server does not count it
 */
export async function countRequest(kind: keyof typeof counters, ask: Ask, body: string): Promise<number | null> {
  const request = requestSchema.parse(parseJson(body));
  const isText = request.messages.every(({ content }) => !Array.isArray(content));
  return isText ? counters[kind](ask, request) : null;
}

/**
 * Creates a `fetch` that sends no chat request but answers it with its number of tokens as usage.
 * @param count null if the server does not count it
 */
export function createCountingFetch(count: (body: string) => Promise<number | null>): typeof fetch {
  return async (_, { body } = {}) => {
    const tokens = typeof body === 'string' ? await count(body) : null;
    if (tokens === null) return Response.json({ error: { message: 'not counted' } }, { status: 404 });
    const base = { id: 'count', created: 0, model: '' };
    const events = [
      { ...base, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...base, choices: [], usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } },
    ];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
  };
}
