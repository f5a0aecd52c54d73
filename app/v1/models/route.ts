import { openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';
import { wireModelsSchema } from '#server/http/schemas/openai';

export const GET = route(
  {
    access: 'chat',
    allowance: 'v1',
    summary: 'The models that may be chosen, in the format of OpenAI',
    answer: wireModelsSchema,
    refusal: openAIErrorResponse,
  },
  async ({ services: { completions } }) => Response.json({ object: 'list', data: completions.models() }),
);
