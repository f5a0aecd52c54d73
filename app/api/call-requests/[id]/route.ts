import { callReachOf, callRequestSchema } from '#server/core/call-requests';
import { ForbiddenError } from '#server/core/errors';
import { allows } from '#server/core/access-rights';
import { route } from '#server/http/route';
import { callRequestParams, decideCallBody } from '#server/http/schemas/call-requests';

/** People decide calls of their own keys, editors those of authors too, administrators those of any. No key decides, whatever its scopes: it would agree with itself. */
export const POST = route(
  {
    summary: 'Agrees to a call of another assistant, or denies it, once',
    access: 'person',
    params: callRequestParams,
    body: decideCallBody,
    answer: callRequestSchema,
  },
  async ({ params, body: { approved, reason = null }, principal, services, audit }) => {
    if (approved && !allows(principal.scopes, 'content:write'))
      throw new ForbiddenError('You need edit permission to approve this.');
    const decision = { approved, reason, decidedBy: principal.userId };
    const decided = await services.callRequests.decide(params.id, callReachOf(principal), decision);
    const { id: requestId, toolName: tool, keyId, effect } = decided;
    const target = effect?.targets.map(({ title }) => title).join(', ') || tool;
    await audit(approved ? 'call-approved' : 'call-denied', { target, details: { tool, requestId, keyId } });
    return decided;
  },
);
