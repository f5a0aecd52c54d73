import type { UIMessageChunk } from 'ai';
import { toolOutputText } from '#server/core/part-text';
import type { ToolOutput } from '#server/core/parts';

/** How the chat is told of a call's result. A denied call is shown with what the user decided. @param partId the call's */
export function toolResultChunks(partId: string, toolCallId: string, output: ToolOutput): UIMessageChunk[] {
  switch (output.type) {
    case 'execution-denied': {
      const { reason } = output;
      return [
        { type: 'tool-approval-request', approvalId: partId, toolCallId },
        {
          type: 'tool-approval-response',
          approvalId: partId,
          approved: false,
          ...(reason !== undefined && { reason }),
        },
        { type: 'tool-output-denied', toolCallId },
      ];
    }
    case 'error-text':
    case 'error-json':
      return [{ type: 'tool-output-error', toolCallId, errorText: toolOutputText(output) }];
    default:
      return [{ type: 'tool-output-available', toolCallId, output: output.value }];
  }
}
