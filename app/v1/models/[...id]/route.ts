import { z } from 'zod';
import { percentDecoded } from '#server/core/addresses';
import { openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';
import { wireModelSchema } from '#server/http/schemas/openai';

/** The segments of an id: it contains slashes, which clients send encoded or not; a stray percent sign is kept and matches no id. */
const params = z.object({ id: z.array(z.string()).max(10) });

export const GET = route(
  {
    access: 'chat',
    allowance: 'v1',
    summary: 'One model, in the format of OpenAI',
    answer: wireModelSchema,
    params,
    refusal: openAIErrorResponse,
  },
  async ({ params: { id }, services: { completions } }) =>
    Response.json(completions.model(percentDecoded(id.join('/')))),
);
