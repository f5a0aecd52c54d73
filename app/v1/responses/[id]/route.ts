import { openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';
import { deletedResponseSchema, responseIdParams, responseSchema } from '#server/http/schemas/openai';

export const GET = route(
  {
    access: 'chat',
    allowance: 'v1',
    summary: 'A stored answer of `/v1/responses`',
    answer: responseSchema,
    params: responseIdParams,
    refusal: openAIErrorResponse,
  },
  async ({ params: { id }, principal: { userId }, services: { responsesApi } }) =>
    Response.json(await responsesApi.get(userId, id)),
);

export const DELETE = route(
  {
    access: 'chat',
    allowance: 'v1',
    summary: 'Deletes a stored answer of `/v1/responses`, to which nothing can refer afterwards',
    answer: deletedResponseSchema,
    params: responseIdParams,
    refusal: openAIErrorResponse,
  },
  async ({ params: { id }, principal: { userId }, services: { responsesApi } }) => {
    await responsesApi.delete(userId, id);
    return { id, object: 'response' as const, deleted: true as const };
  },
);
