import type { Message } from '#server/core/messages';
import { isEngineNote, isSaid } from '#server/core/part-text';
import type { PartOf, ToolCallPart, ToolResultPart } from '#server/core/parts';
import { type ToolImage, toolImages } from '#server/core/tool-result';

/**
 * Finds the result of every tool call, by the call's part id: the first later one with its tool call id, up to the next
 * call that reuses that (real transcripts do). Results that no call owns are left out.
 */
export function pairToolResults(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  const pairs = new Map<string, ToolResultPart>();
  const open = new Map<string, ToolCallPart>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'tool-call') open.set(part.content.toolCallId, part);
    if (part.type !== 'tool-result') continue;
    const call = open.get(part.content.toolCallId);
    if (!call) continue;
    pairs.set(call.id, part);
    open.delete(part.content.toolCallId);
  }
  return pairs;
}

/** Images of a result that the view could show: none of a pruned one. */
export function shownImages({ compactedAt, content }: ToolResultPart): ToolImage[] {
  return compactedAt === null ? toolImages(content.output) : [];
}

/** Finish reasons of an answer that the next step continues; that step needs the same images again. */
const GOES_ON = ['length', 'interrupted'];

/** Ids of the models of OpenAI-compatible servers: thoughts go back to them as text, in `reasoning_content`. */
const TAKES_TEXT = 'local/';

/**
 * What only some requests hold. Results whose images the next one shows: those behind the newest whole answer, as a
 * step that failed or was cut short is repeated with them. And thoughts, only for the model that had them: signed ones
 * wherever they stand, plain text behind the newest words of the user, where models go on from it; none without an
 * answer or a call beside it, as providers refuse a message of thoughts.
 * @param results by the call's part id
 */
export function passingParts(
  messages: readonly Message[],
  results: ReadonlyMap<string, ToolResultPart>,
  modelId: string,
): ReadonlySet<ToolResultPart | PartOf<'reasoning'>> {
  const passing = new Set<ToolResultPart | PartOf<'reasoning'>>();
  let isUnseen = true;
  let isRunning = modelId.startsWith(TAKES_TEXT);
  for (const message of messages.toReversed()) {
    if (message.role === 'user' && !isEngineNote(message)) isRunning = false;
    const isAnswer = message.parts.some((part) => part.type === 'tool-call' || isSaid(part));
    if (message.role !== 'assistant' || !isAnswer) continue;
    for (const part of message.parts) {
      const result = isUnseen && part.type === 'tool-call' && results.get(part.id);
      if (result && shownImages(result).length > 0) passing.add(result);
      if (part.type !== 'reasoning' || message.modelId !== modelId) continue;
      if (isSigned(part) || (isRunning && part.content.text.trim() !== '')) passing.add(part);
    }
    if (message.status === 'complete' && !GOES_ON.includes(message.finishReason ?? '')) isUnseen = false;
  }
  return passing;
}

/** Some providers sign every answer, also with an empty list: there is nothing to go back then. */
function isSigned({ content: { providerMetadata = {} } }: PartOf<'reasoning'>): boolean {
  const values = Object.values(providerMetadata).flatMap((options) => Object.values(options));
  return values.some((value) => !Array.isArray(value) || value.length > 0);
}
