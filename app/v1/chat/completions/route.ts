import { chatCompletionBody } from '#server/integrations/openai/chat-completion-body';
import { openAIErrorBody, openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';
import {
  COMPLETION_BODY_BYTES,
  COMPLETION_BODY_VALUES,
  completionChunks,
  completionSchema,
} from '#server/http/schemas/openai';

export const POST = route(
  {
    access: 'chat',
    allowance: 'v1',
    startsTurn: true,
    summary: 'Answers a conversation that its client holds, in the format of OpenAI, whole or as a stream',
    answer: { 200: [completionSchema, completionChunks] },
    body: chatCompletionBody,
    bodyLimit: COMPLETION_BODY_BYTES,
    bodyValues: COMPLETION_BODY_VALUES,
    refusal: openAIErrorResponse,
  },
  ({ body, principal: { userId: ownerId }, request: { signal }, lapsed, services: { completions } }) =>
    completions.chat(body, { ownerId, signal, lapsed, errorBody: openAIErrorBody }),
);
