import { mediaTokens } from '#server/context/media-tokens';
import { toolResultTokens } from '#server/context/part-tokens';
import type { Vocabulary } from '#server/context/tokens';
import { toolImagesLabel } from '#server/core/engine-words';
import type { Message } from '#server/core/messages';
import type { UserModelMessage } from '#server/core/model-messages';
import { isSaid, plainName, toolOutputText } from '#server/core/part-text';
import type { ToolCallPart, ToolResultPart } from '#server/core/parts';
import { type ToolImage, toolImages } from '#server/core/tool-result';

/** Finish reasons of an answer that the next step continues; that step needs the same images again. */
const GOES_ON = ['length', 'interrupted'];

/**
 * The results whose images the next request shows: those behind the newest whole answer, which no answer was given to
 * yet. In later requests their images are only named. A step that failed or was cut short is repeated with them.
 * @param messages verbatim, in the order of the view
 * @param results by the call's part id
 */
export function unseenResults(
  messages: readonly Message[],
  results: ReadonlyMap<string, ToolResultPart>,
): ReadonlySet<ToolResultPart> {
  const unseen = new Set<ToolResultPart>();
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue;
    for (const part of message.parts) {
      const result = part.type === 'tool-call' && results.get(part.id);
      if (result && shownImages(result).length > 0) unseen.add(result);
    }
    const saysSomething = message.parts.some((part) => part.type === 'tool-call' || isSaid(part));
    const isWhole = message.status === 'complete' && !GOES_ON.includes(message.finishReason ?? '');
    if (saysSomething && isWhole) break;
  }
  return unseen;
}

/** Images of a result that the view could show: none of a pruned one. */
export function shownImages({ compactedAt, content }: ToolResultPart): ToolImage[] {
  return compactedAt === null ? toolImages(content.output) : [];
}

/** A result that was not pruned, in words: its texts, its images named, and how they are seen again. */
export function resultText(result: ToolResultPart, acceptsImages: boolean): string {
  const text = toolOutputText(result.content.output);
  if (shownImages(result).length === 0) return text;
  const again = `[Images of a result are shown once, right behind it. recall_output id: ${result.id} shows them again.]`;
  return `${text}\n\n${acceptsImages ? again : '[This model cannot see images.]'}`;
}

/** Tokens of a result with images as its text reads, before the model's factor. */
export function resultTextTokens(result: ToolResultPart, acceptsImages: boolean, vocabulary: Vocabulary): number {
  return toolResultTokens(result.content.toolCallId, resultText(result, acceptsImages), vocabulary);
}

/** Tokens of images that are sent, in the model's own count. */
export function imageTokens(images: readonly ToolImage[], modelId: string): number {
  return images.reduce((sum, image) => sum + mediaTokens(image, modelId), 0);
}

/**
 * The user message that carries the images of results, right behind them: the format of OpenAI has no images in tool
 * messages, and providers that speak it refuse them there or get their base64 as text.
 */
export function imagesMessage(results: readonly ToolResultPart[]) {
  const shown = results.flatMap((result) =>
    shownImages(result).map((image) => ({ image, of: result.content.toolName })),
  );
  const names = shown.map(({ image: { filename = 'image' }, of }) => `${plainName(filename)} (${plainName(of)})`);
  const label = toolImagesLabel(names);
  const images = shown.map(({ image }) => image);
  const files = images.map(({ mediaType, url, filename }) => ({
    type: 'file' as const,
    mediaType,
    data: url,
    ...(filename !== undefined && { filename }),
  }));
  const message: UserModelMessage = { role: 'user', content: [{ type: 'text', text: label }, ...files] };
  return { message, label, images };
}

/**
 * Finds the result of every tool call. A call owns the first later result with its id, up to the next call that
 * reuses the id (real transcripts do). Results that no call owns are orphans and absent from the map.
 * @returns results by the call's part id
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
