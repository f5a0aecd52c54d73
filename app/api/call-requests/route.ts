import { callRequestsSchema } from '#server/core/call-requests';
import { allows } from '#server/core/people';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary:
      'Calls of other assistants, those that wait for a decision first; of yours, or everybody’s for administrators',
    access: 'person',
    answer: callRequestsSchema,
  },
  async ({ principal, services }) => {
    const whose = allows(principal.scopes, 'admin') ? null : principal.userId;
    return { items: await services.callRequests.list(whose) };
  },
);
