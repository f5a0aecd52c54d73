import { getToolName, isDataUIPart, isStaticToolUIPart, type UIMessageChunk } from 'ai';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';

type UIPart = ThroughlineUIMessage['parts'][number];
type TextPart = Extract<UIPart, { type: 'text' | 'reasoning' }>;
type ToolPart = Extract<UIPart, { toolCallId: string }>;

/** The answer up to its first part that is still being written. */
export function withoutOpenParts(answer: ThroughlineUIMessage): ThroughlineUIMessage {
  const open = answer.parts.findIndex(
    (part) => 'state' in part && (part.state === 'streaming' || part.state === 'input-streaming'),
  );
  return open === -1 ? answer : { ...answer, parts: answer.parts.slice(0, open) };
}

/** The chunks that build a stored answer. */
export function answerChunks({ id, metadata, parts }: ThroughlineUIMessage): UIMessageChunk[] {
  const start: UIMessageChunk = { type: 'start', messageId: id, messageMetadata: metadata };
  return [start, ...parts.flatMap((part, index) => partChunks(part, `part-${index}`))];
}

/** @param id of the text in the stream */
function partChunks(part: UIPart, id: string): UIMessageChunk[] {
  if (part.type === 'text' || part.type === 'reasoning') return textChunks(part, id);
  if (isStaticToolUIPart(part)) return toolChunks(part);
  if (part.type === 'step-start') return [{ type: 'start-step' }];
  return part.type === 'steering-message' || isDataUIPart(part) ? [part] : [];
}

function textChunks({ type, text, state }: TextPart, id: string): UIMessageChunk[] {
  const chunks: UIMessageChunk[] = [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text },
  ];
  return state === 'streaming' ? chunks : [...chunks, { type: `${type}-end`, id }];
}

function toolChunks(part: ToolPart): UIMessageChunk[] {
  const { toolCallId, input } = part;
  const toolName = getToolName(part);
  if (part.state === 'input-streaming') {
    const { rawInput = '' } = part;
    return [
      { type: 'tool-input-start', toolCallId, toolName },
      { type: 'tool-input-delta', toolCallId, inputTextDelta: rawInput },
    ];
  }
  return [
    { type: 'tool-input-available', toolCallId, toolName, input },
    ...approvalChunks(part),
    ...resultChunks(part),
  ];
}

function approvalChunks({ approval, toolCallId }: ToolPart): UIMessageChunk[] {
  if (!approval) return [];
  const { id: approvalId, approved, reason, descriptor } = approval;
  const request: UIMessageChunk = {
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
  };
  if (approved === undefined) return [request];
  const decision = { approvalId, approved, ...(reason !== undefined && { reason }) };
  return [request, { type: 'tool-approval-response', ...decision }];
}

function resultChunks(part: ToolPart): UIMessageChunk[] {
  const { toolCallId } = part;
  if (part.state === 'output-available') {
    return [{ type: 'tool-output-available', toolCallId, output: part.output, ...factsOf(part) }];
  }
  if (part.state === 'output-error') {
    return [{ type: 'tool-output-error', toolCallId, errorText: part.errorText, ...factsOf(part) }];
  }
  return part.state === 'output-denied' ? [{ type: 'tool-output-denied', toolCallId }] : [];
}

function factsOf({ resultProviderMetadata }: Extract<ToolPart, { state: 'output-available' | 'output-error' }>) {
  return resultProviderMetadata && { providerMetadata: resultProviderMetadata };
}
