import { anthropicErrorResponse } from '#server/http/anthropic-error';
import { route } from '#server/http/route';
import { tokenCountSchema } from '#server/http/schemas/anthropic';
import { COMPLETION_BODY_BYTES, COMPLETION_BODY_VALUES } from '#server/http/schemas/openai';
import { countTokensBody } from '#server/integrations/anthropic/messages-body';

export const POST = route(
  {
    access: 'chat',
    allowance: 'v1',
    summary: 'Counts the tokens of a conversation in the format of Anthropic, without a model call',
    answer: tokenCountSchema,
    body: countTokensBody,
    bodyLimit: COMPLETION_BODY_BYTES,
    bodyValues: COMPLETION_BODY_VALUES,
    refusal: anthropicErrorResponse,
  },
  async ({ body, principal: { userId }, services: { messagesApi } }) => ({
    input_tokens: await messagesApi.count(body, userId),
  }),
);
