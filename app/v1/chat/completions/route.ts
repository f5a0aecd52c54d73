import { chatCompletionBody } from '#server/completions/chat-completion-body';
import { openAIErrorBody, openAIErrorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';
import { completionChunks, completionSchema } from '#server/http/schemas/openai';

/** 32 MB: a client sends its whole conversation each time, with its images. */
const BODY_LIMIT = 32_000_000;

export const POST = route(
  {
    access: 'chat',
    startsTurn: true,
    summary: 'Answers a conversation that its client holds, in the format of OpenAI, whole or as a stream',
    answer: { 200: [completionSchema, completionChunks] },
    body: chatCompletionBody,
    bodyLimit: BODY_LIMIT,
    refusal: openAIErrorResponse,
  },
  ({ body, principal: { userId: ownerId }, request: { signal }, lapsed, services: { completions } }) =>
    completions.answer(body, { ownerId, signal, lapsed, errorBody: openAIErrorBody }),
);
