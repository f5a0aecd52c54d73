import { chatCompletionBody } from '#server/integrations/openai/chat-completion-body';
import { openAIErrorBody, openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';
import { completionChunks, completionSchema } from '#server/http/schemas/openai';

/** Maximum size of a body: a client sends its whole conversation each time, including images. */
const COMPLETION_BODY_BYTES = 32_000_000;
/** Maximum number of JSON values in a body. A message has 3, a tool call 6: the limit fits 20,000 messages, half of them with calls. */
const COMPLETION_BODY_VALUES = 200_000;

export const POST = route(
  {
    access: 'chat',
    startsTurn: true,
    summary: 'Answers a conversation that its client holds, in the format of OpenAI, whole or as a stream',
    answer: { 200: [completionSchema, completionChunks] },
    body: chatCompletionBody,
    bodyLimit: COMPLETION_BODY_BYTES,
    bodyValues: COMPLETION_BODY_VALUES,
    refusal: openAIErrorResponse,
  },
  ({ body, principal: { userId: ownerId }, request: { signal }, lapsed, services: { completions } }) =>
    completions.answer(body, { ownerId, signal, lapsed, errorBody: openAIErrorBody }),
);
