import { NotFoundError } from '#server/core/errors';
import { openAIErrorResponse } from '#server/http/openai-error';
import { route } from '#server/http/route';

/** Answers unknown addresses in the error format of the OpenAI API, not with a page. */
const absent = route(
  {
    summary: 'Says that there is nothing at this address',
    answer: {},
    access: 'chat',
    allowance: 'v1',
    ignoresBody: true,
    refusal: openAIErrorResponse,
  },
  async ({ request }) => {
    throw new NotFoundError('address', new URL(request.url).pathname.slice(0, 200));
  },
);

export { absent as DELETE, absent as GET, absent as PATCH, absent as POST, absent as PUT };
