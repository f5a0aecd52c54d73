import type { z } from 'zod';
import { NotFoundError } from '#server/core/errors';
import { approvalsSchema, decidedSchema } from '#server/core/conversation/approvals';
import { allows } from '#server/core/admin/access-rights';
import { auditDecisions } from '#server/http/audit-decisions';
import { route, type RouteInput } from '#server/http/route';
import { approvalsBody } from '#server/http/schemas/chat';
import { sessionParams } from '#server/http/schemas/sessions';

/** What decides which session a caller may decide in. */
type DecisionInput = Pick<
  RouteInput<{ readonly id: string }, unknown, z.infer<typeof approvalsBody>>,
  'params' | 'body' | 'services' | 'principal' | 'ownSession'
>;

export const GET = route(
  { summary: 'The calls that wait for a decision', answer: approvalsSchema, access: 'chat', params: sessionParams },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    return Response.json({ items: await services.chat.pendingApprovals(id) });
  },
);

/**
 * The caller's own session, or one in which a call waits for an editor or waited for the decision on these calls: the
 * second person to decide learns that it is decided.
 * @throws NotFoundError for any other session
 */
async function decidableSession({
  params: { id },
  body: { decisions },
  services: { chat },
  principal,
  ownSession,
}: DecisionInput): Promise<string> {
  try {
    return (await ownSession(id)).id;
  } catch (error) {
    if (!(error instanceof NotFoundError) || !allows(principal.scopes, 'content:write')) throw error;
    const of = { sessionId: id, sites: principal.sites };
    const decided = decisions.map(({ approvalId }) => approvalId);
    const waiting = await chat.editorialCalls(of);
    if (waiting.length > 0 || (await chat.editorialCalls({ ...of, decided })).length > 0) return id;
    throw error;
  }
}

export const POST = route(
  {
    summary: 'Decides stored calls, once, all or none; the turn goes on when none waits any more',
    answer: decidedSchema,
    access: 'chat',
    startsTurn: true,
    params: sessionParams,
    body: approvalsBody,
  },
  async (input) => {
    const { body, services, principal, audit } = input;
    const id = await decidableSession(input);
    const asked = await services.chat.pendingApprovals(id);
    const decided = await services.chat.decide(id, body.decisions, principal.scopes, principal.keyId);
    await auditDecisions(id, asked, body.decisions, audit);
    return decided;
  },
);
