import { z } from 'zod';
import { percentDecoded } from '#server/core/addresses';
import { openAIErrorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';
import { wireModelSchema } from '#server/http/schemas/openai';

/** Ids have slashes, which clients send as they are or encoded; a stray percent sign is part of an id that nobody has. */
const params = z.object({ id: z.array(z.string()).max(10) });

export const GET = route(
  {
    access: 'chat',
    summary: 'One model, in the format of OpenAI',
    answer: wireModelSchema,
    params,
    refusal: openAIErrorResponse,
  },
  async ({ params: { id }, services: { completions } }) =>
    Response.json(completions.model(percentDecoded(id.join('/')))),
);
