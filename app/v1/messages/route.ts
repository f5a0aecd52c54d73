import { anthropicErrorBody, anthropicErrorResponse } from '#server/http/anthropic-error';
import { route } from '#server/http/route';
import { anthropicMessageSchema, messageEvents } from '#server/http/schemas/anthropic';
import { COMPLETION_BODY_BYTES, COMPLETION_BODY_VALUES } from '#server/http/schemas/openai';
import { messagesBody } from '#server/integrations/anthropic/messages-body';

export const POST = route(
  {
    access: 'chat',
    allowance: 'v1',
    startsTurn: true,
    summary: 'Answers a conversation that its client holds, in the format of Anthropic, whole or as a stream',
    answer: { 200: [anthropicMessageSchema, messageEvents] },
    body: messagesBody,
    bodyLimit: COMPLETION_BODY_BYTES,
    bodyValues: COMPLETION_BODY_VALUES,
    refusal: anthropicErrorResponse,
  },
  ({ body, principal: { userId: ownerId }, request: { signal }, lapsed, services: { messagesApi } }) =>
    messagesApi.answer(body, { ownerId, signal, lapsed, errorBody: anthropicErrorBody }),
);
