import type { Approval, ApprovalDecision } from '#server/core/conversation/approvals';
import { targetNames } from '#server/core/site/document-names';
import type { RecordAction } from '#server/core/admin/audit';

/**
 * Records decisions on waiting calls in the audit log.
 * @param asked the calls that waited before the decisions; others are not recorded
 */
export async function auditDecisions(
  sessionId: string,
  asked: readonly Approval[],
  decisions: readonly ApprovalDecision[],
  audit: RecordAction,
): Promise<void> {
  for (const { approvalId, approved } of decisions) {
    const call = asked.find((each) => each.approvalId === approvalId);
    if (!call) continue;
    const target = targetNames(call.effect?.targets ?? []) ?? call.toolName;
    await audit(approved ? 'call-approved' : 'call-denied', { target, details: { tool: call.toolName, sessionId } });
  }
}
