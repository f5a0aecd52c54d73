import { callReachOf, callRequestsSchema } from '#server/core/call-requests';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary:
      'Calls of other assistants, those that wait for a decision first: your own; editors also get those of authors, administrators everybody’s',
    access: 'person',
    answer: callRequestsSchema,
  },
  async ({ principal, services }) => ({ items: await services.callRequests.list(callReachOf(principal)) }),
);
