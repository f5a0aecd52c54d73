import { openAIErrorBody, openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';
import { COMPLETION_BODY_BYTES, COMPLETION_BODY_VALUES, compactedSchema } from '#server/http/schemas/openai';
import { compactBody } from '#server/integrations/openai/responses/responses-body';

export const POST = route(
  {
    access: 'chat',
    allowance: 'v1',
    startsTurn: true,
    summary: 'Compacts a conversation in the format of Open Responses: its answer replaces the items that were sent',
    answer: compactedSchema,
    body: compactBody,
    bodyLimit: COMPLETION_BODY_BYTES,
    bodyValues: COMPLETION_BODY_VALUES,
    refusal: openAIErrorResponse,
  },
  async ({ body, principal: { userId: ownerId }, request: { signal }, lapsed, services: { responsesApi } }) =>
    Response.json(await responsesApi.compact(body, { ownerId, signal, lapsed, errorBody: openAIErrorBody })),
);
