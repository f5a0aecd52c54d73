import { NotFoundError } from '#server/core/errors';
import { openAIErrorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';

/** An address that no route has answers in the format's own error shape, not with a page. */
const absent = route(
  {
    summary: 'Says that there is nothing at this address',
    answer: {},
    access: 'chat',
    ignoresBody: true,
    refusal: openAIErrorResponse,
  },
  async ({ request }) => {
    throw new NotFoundError('address', new URL(request.url).pathname.slice(0, 200));
  },
);

export { absent as DELETE, absent as GET, absent as PATCH, absent as POST, absent as PUT };
