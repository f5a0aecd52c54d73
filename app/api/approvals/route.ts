import { editorialCallsSchema } from '#server/core/conversation/approvals';
import { route } from '#server/http/route';

/** Lists calls only; each call is decided through the approvals of its session. */
export const GET = route(
  {
    summary: 'Calls in the conversations of authors that an editor or administrator has to decide',
    answer: editorialCallsSchema,
    access: 'content:write',
  },
  async ({ services, principal: { sites } }) => ({ items: await services.chat.editorialCalls({ sites }) }),
);
