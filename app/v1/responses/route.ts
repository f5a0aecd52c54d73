import { openAIErrorBody, openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';
import {
  COMPLETION_BODY_BYTES,
  COMPLETION_BODY_VALUES,
  responseEvents,
  responseSchema,
} from '#server/http/schemas/openai';
import { responsesBody } from '#server/integrations/openai/responses/responses-body';

export const POST = route(
  {
    access: 'chat',
    allowance: 'v1',
    startsTurn: true,
    summary: 'Answers in the format of Open Responses, whole or as a stream, and keeps the answer for later requests',
    answer: { 200: [responseSchema, responseEvents] },
    body: responsesBody,
    bodyLimit: COMPLETION_BODY_BYTES,
    bodyValues: COMPLETION_BODY_VALUES,
    refusal: openAIErrorResponse,
  },
  ({ body, principal: { userId: ownerId }, request: { signal }, lapsed, services: { responsesApi } }) =>
    responsesApi.answer(body, { ownerId, signal, lapsed, errorBody: openAIErrorBody }),
);
