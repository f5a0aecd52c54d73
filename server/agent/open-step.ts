import type { Message } from '#server/core/messages';
import type { Approval } from '#server/core/turns';
import { pairToolResults } from '#server/context/view/pair-tool-results';
import type { PendingCall } from '#server/agent/run-tool-call';

/** The calls of a stored turn that waited and were decided, and the tool message of their step, if it has one. */
export function openStep(
  messages: readonly Message[],
  approvals: readonly Approval[],
): { readonly calls: readonly PendingCall[]; readonly results: Message | undefined } {
  const answered = pairToolResults(messages);
  const calls = approvals
    .filter(({ partId, status }) => status !== 'pending' && !answered.has(partId))
    .map(({ partId, toolCallId, toolName, input, status, reason, effect }) => ({
      partId,
      toolCallId,
      toolName,
      input,
      decision: { approved: status === 'approved', reason, effect },
    }));
  const last = messages.at(-1);
  return { calls, results: last?.role === 'tool' ? last : undefined };
}
