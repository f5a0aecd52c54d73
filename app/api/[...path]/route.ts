import { NotFoundError } from '#server/core/errors';
import { route } from '#server/http/route';

/** Answers unknown addresses in the API's own error format, not with a page. */
const absent = route(
  { summary: 'Says that there is nothing at this address', answer: {}, access: 'signed-in', ignoresBody: true },
  async ({ request }) => {
    throw new NotFoundError('address', new URL(request.url).pathname.slice(0, 200));
  },
);

export { absent as DELETE, absent as GET, absent as PATCH, absent as POST, absent as PUT };
