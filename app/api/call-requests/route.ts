import { callReachOf, callRequestsSchema } from '#server/core/conversation/pending-approvals';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary:
      'Lists tool calls of external assistants (MCP clients), pending ones first: one’s own, for editors also those of authors, for administrators all',
    access: 'person',
    answer: callRequestsSchema,
  },
  async ({ principal, services }) => ({ items: await services.callRequests.list(callReachOf(principal)) }),
);
