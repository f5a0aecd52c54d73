import { isDataUIPart, isStaticToolUIPart, isToolUIPart, getToolName, type UIMessageChunk } from 'ai';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';

type UIPart = ThroughlineUIMessage['parts'][number];
type TextPart = Extract<UIPart, { type: 'text' | 'reasoning' }>;
type ToolPart = Extract<UIPart, { toolCallId: string }>;

/**
 * The chunks that turn the `emitted` answer (null: nothing yet) into the current answer, and the answer emitted after
 * them. An answer only grows: new parts follow the existing ones, text is appended, a call gets its result.
 */
export function diffTurn(
  emitted: ThroughlineUIMessage | null,
  snapshot: ThroughlineUIMessage,
): { readonly chunks: UIMessageChunk[]; readonly emitted: ThroughlineUIMessage } {
  const { id, metadata } = snapshot;
  const chunks: UIMessageChunk[] = emitted ? [] : [{ type: 'start', messageId: id, messageMetadata: metadata }];
  const parts = [...(emitted?.parts ?? [])];
  for (const [index, part] of snapshot.parts.entries()) {
    const before = parts[index];
    // A part that became another part cannot be sent as a chunk; a reload shows it.
    if (before && !isSamePart(before, part)) continue;
    const { chunks: news, shown } = diffPart(before, part, `part-${index}`);
    chunks.push(...news);
    parts[index] = shown;
  }
  return { chunks, emitted: { ...snapshot, parts } };
}

function isSamePart(before: UIPart, part: UIPart): boolean {
  if (before.type !== part.type) return false;
  return !isToolUIPart(before) || (isToolUIPart(part) && before.toolCallId === part.toolCallId);
}

function diffPart(before: UIPart | undefined, part: UIPart, id: string): { chunks: UIMessageChunk[]; shown: UIPart } {
  if (isText(part)) return diffText(before && isText(before) ? before : undefined, part, id);
  if (isStaticToolUIPart(part)) {
    return { chunks: toolChunks(before && isStaticToolUIPart(before) ? before : undefined, part), shown: part };
  }
  const isNew = before === undefined;
  if (part.type === 'step-start') return { chunks: isNew ? [{ type: 'start-step' }] : [], shown: part };
  if (part.type === 'steering-message') return { chunks: isNew ? [part] : [], shown: part };
  if (isDataUIPart(part)) {
    return { chunks: isNew || JSON.stringify(before) !== JSON.stringify(part) ? [part] : [], shown: part };
  }
  return { chunks: [], shown: part };
}

function isText(part: UIPart): part is TextPart {
  return part.type === 'text' || part.type === 'reasoning';
}

/** Finished text does not grow. */
function diffText(
  before: TextPart | undefined,
  part: TextPart,
  id: string,
): { chunks: UIMessageChunk[]; shown: TextPart } {
  if (before?.state === 'done') return { chunks: [], shown: before };
  const former = before?.text ?? '';
  const text = part.text.startsWith(former) ? part.text : former;
  const chunks: UIMessageChunk[] = before ? [] : [{ type: `${part.type}-start`, id }];
  if (text.length > former.length) chunks.push({ type: `${part.type}-delta`, id, delta: text.slice(former.length) });
  if (part.state !== 'streaming') chunks.push({ type: `${part.type}-end`, id });
  return { chunks, shown: { ...part, text } };
}

function toolChunks(before: ToolPart | undefined, part: ToolPart): UIMessageChunk[] {
  if (part.state === 'input-streaming') return inputChunks(before, part);
  if (before?.state === part.state) return [];
  const { toolCallId, input } = part;
  const toolName = getToolName(part);
  const chunks: UIMessageChunk[] = [];
  if (!before || before.state === 'input-streaming' || part.state === 'input-available') {
    chunks.push({ type: 'tool-input-available', toolCallId, toolName, input });
  }
  chunks.push(...approvalChunks(before, part));
  if (part.state === 'output-available') {
    chunks.push({ type: 'tool-output-available', toolCallId, output: part.output, ...factsOf(part) });
  }
  if (part.state === 'output-error') {
    chunks.push({ type: 'tool-output-error', toolCallId, errorText: part.errorText, ...factsOf(part) });
  }
  if (part.state === 'output-denied') chunks.push({ type: 'tool-output-denied', toolCallId });
  return chunks;
}

/** The text of an input only grows until the input is complete. */
function inputChunks(before: ToolPart | undefined, part: ToolPart & { state: 'input-streaming' }): UIMessageChunk[] {
  if (before && before.state !== 'input-streaming') return [];
  const { toolCallId, rawInput = '' } = part;
  const former = before?.rawInput ?? '';
  const chunks: UIMessageChunk[] = before
    ? []
    : [{ type: 'tool-input-start', toolCallId, toolName: getToolName(part) }];
  const inputTextDelta = rawInput.slice(former.length);
  if (inputTextDelta !== '') chunks.push({ type: 'tool-input-delta', toolCallId, inputTextDelta });
  return chunks;
}

function factsOf({ resultProviderMetadata }: Extract<ToolPart, { state: 'output-available' | 'output-error' }>) {
  return resultProviderMetadata && { providerMetadata: resultProviderMetadata };
}

function approvalChunks(before: ToolPart | undefined, { approval, toolCallId }: ToolPart): UIMessageChunk[] {
  if (!approval) return [];
  const { id: approvalId, approved, reason, descriptor } = approval;
  const request: UIMessageChunk = {
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
  };
  const chunks: UIMessageChunk[] = before?.approval ? [] : [request];
  if (approved === undefined || before?.approval?.approved !== undefined) return chunks;
  return [...chunks, { type: 'tool-approval-response', approvalId, approved, ...(reason !== undefined && { reason }) }];
}
