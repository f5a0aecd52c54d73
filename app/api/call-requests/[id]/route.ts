import { z } from 'zod';
import { callReachOf, callRequestSchema } from '#server/core/conversation/pending-approvals';
import { ForbiddenError } from '#server/core/errors';
import { allows } from '#server/core/admin/access-rights';
import { components } from '#server/core/shapes';
import { serverText } from '#server/core/messages/server-text';
import { targetNames } from '#server/core/site/document-names';
import { route } from '#server/http/route';

const params = z.object({
  id: z.string().regex(/^req_[0-9a-z]{26}$/, 'is not the id of a call request'),
});

const body = z
  .strictObject({
    approved: z.boolean().describe('True: the call may run once. False: it is denied'),
    reason: z.string().trim().min(1).max(2_000).optional().describe('What the assistant hears of a denial'),
  })
  .register(components, { id: 'CallDecisionBody' });

/** Lists show only the first part of an effect; this route returns all of it. */
export const GET = route(
  {
    summary: 'A call of another assistant, with every difference that it would make',
    access: 'person',
    params,
    answer: callRequestSchema,
  },
  async ({ params: { id }, principal, services }) => services.callRequests.within(id, callReachOf(principal)),
);

/**
 * People decide the calls of their own keys, editors also those of authors, administrators all. No key may decide,
 * regardless of its scopes: it could approve its own calls.
 */
export const POST = route(
  {
    summary: 'Agrees to a call of another assistant, or denies it, once',
    access: 'person',
    params,
    body,
    answer: callRequestSchema,
  },
  async ({ params: { id }, body: { approved, reason = null }, principal, services, audit }) => {
    if (approved && !allows(principal.scopes, 'content:write'))
      throw new ForbiddenError(serverText('approval-needs-edit-right'));
    const decision = { approved, reason, decidedBy: principal.userId };
    const decided = await services.callRequests.decide(id, callReachOf(principal), decision);
    const { id: requestId, toolName: tool, keyId, effect } = decided;
    const target = targetNames(effect?.targets ?? []) ?? tool;
    await audit(approved ? 'call-approved' : 'call-denied', { target, details: { tool, requestId, keyId } });
    return decided;
  },
);
