import type { ProviderMetadata, UIMessageChunk } from 'ai';
import { toolOutputText } from '#server/core/part-text';
import type { PartContent, ToolOutput } from '#server/core/parts';
import { withPublicImages } from '#server/core/tool-images';
import type { ToolEffect } from '#server/core/tool-effect';

/** What the chat shows of a call beside its result. */
export interface ResultFacts {
  /** Milliseconds that the tool ran. */
  readonly durationMs?: number;
  /** The model no longer sees the output: nothing of it, or an excerpt. */
  readonly cleared?: 'whole' | 'excerpt';
}

/** The metadata that a result travels with, live and in a stored transcript; undefined where there is nothing to say. */
export function resultMetadata({ durationMs, cleared }: ResultFacts): ProviderMetadata | undefined {
  if (durationMs === undefined && cleared === undefined) return undefined;
  return {
    throughline: { ...(durationMs !== undefined && { durationMs }), ...(cleared !== undefined && { cleared }) },
  };
}

/** How the chat is told of a call that waits, with what the user is shown of it. */
export function approvalRequest({
  partId: approvalId,
  toolCallId,
  effect,
}: {
  partId: string;
  toolCallId: string;
  effect: ToolEffect | null;
}): UIMessageChunk {
  return { type: 'tool-approval-request', approvalId, toolCallId, ...(effect && { approvalDescriptor: effect }) };
}

/** An output as the chat gets it: texts and JSON bare, one of several pieces as its pieces, whose kind says what they are. */
export function shownOutput(output: Extract<ToolOutput, { type: 'text' | 'json' | 'content' }>): unknown {
  return output.type === 'content' ? withPublicImages(output) : output.value;
}

/**
 * How the chat is told of the result of a call that has just run. A denied call is shown with what the user decided.
 * @param partId the call's
 */
export function toolResultChunks(
  partId: string,
  toolCallId: string,
  { output, durationMs }: Pick<PartContent<'tool-result'>, 'output' | 'durationMs'>,
): UIMessageChunk[] {
  const providerMetadata = resultMetadata(durationMs === undefined ? {} : { durationMs });
  const facts = providerMetadata && { providerMetadata };
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
      return [{ type: 'tool-output-error', toolCallId, errorText: toolOutputText(output), ...facts }];
    default:
      return [{ type: 'tool-output-available', toolCallId, output: shownOutput(output), ...facts }];
  }
}
