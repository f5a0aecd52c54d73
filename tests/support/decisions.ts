import type { Approval, ApprovalDecision } from '#server/core/conversation/approvals';

/** A decision of a test: it names the call by the id that the scripted model gave it. */
interface WantedDecision {
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** The id of no approval. */
export const NO_APPROVAL = `apr_${'0'.repeat(26)}_${'0'.repeat(32)}`;

/** The decisions as a client sends them: each names the approval that it was shown, of several calls the newest. */
export function decisionsIn(
  approvals: readonly Approval[],
  wanted: readonly WantedDecision[],
): readonly ApprovalDecision[] {
  return wanted.map(({ toolCallId, ...decision }) => {
    const found = approvals.findLast((approval) => approval.toolCallId === toolCallId);
    return { ...decision, approvalId: found?.approvalId ?? NO_APPROVAL };
  });
}

interface Waiting {
  pendingApprovals(sessionId: string): Promise<readonly Approval[]>;
}

/** Decisions about calls that wait in a session. */
export async function decisionsOn(
  waiting: Waiting,
  sessionId: string,
  ...wanted: readonly WantedDecision[]
): Promise<readonly ApprovalDecision[]> {
  return decisionsIn(await waiting.pendingApprovals(sessionId), wanted);
}
