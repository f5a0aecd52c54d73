import { approvalSchema } from '#server/core/conversation/approvals';
import { allows } from '#server/core/admin/access-rights';
import { NotFoundError } from '#server/core/errors';
import { route } from '#server/http/route';
import { approvalParams } from '#server/http/schemas/chat';

/** Lists show only the first part of an effect; this route returns all of it. */
export const GET = route(
  {
    summary: 'A call that waits for a decision, with every difference that it would make',
    answer: approvalSchema,
    access: 'chat',
    params: approvalParams,
  },
  async ({ params: { id, approvalId }, services: { chat }, principal, ownSession }) => {
    const own = await ownSession(id).catch((error: unknown) => {
      if (error instanceof NotFoundError && allows(principal.scopes, 'content:write')) return null;
      throw error;
    });
    const waiting = own ?? (await chat.editorialCalls({ sessionId: id, sites: principal.sites }));
    if (Array.isArray(waiting) && waiting.length === 0) throw new NotFoundError('session', id);
    return chat.pendingApproval(id, approvalId);
  },
);
