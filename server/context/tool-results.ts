import { mediaTokens } from '#server/context/media-tokens';
import { toolResultTokens } from '#server/context/part-tokens';
import { countTokens, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import { type ViewPart, viewPart } from '#server/context/view-messages';
import { toolImagesLabel } from '#server/core/engine-words';
import type { Message } from '#server/core/messages';
import { isEngineNote, isSaid, plainName, toolOutputText } from '#server/core/part-text';
import type { PartOf, ToolCallPart, ToolResultPart } from '#server/core/parts';
import { type ToolImage, toolImages } from '#server/core/tool-result';

/** Finish reasons of an answer that the next step continues; that step needs the same images again. */
const GOES_ON = ['length', 'interrupted'];

/**
 * The results whose images the next request shows: those behind the newest whole answer. A step that failed or was cut
 * short is repeated with them; later requests only name them.
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

export function resultTextTokens(result: ToolResultPart, acceptsImages: boolean, vocabulary: Vocabulary): number {
  return toolResultTokens(result.content.toolCallId, resultText(result, acceptsImages), vocabulary);
}

/** Tokens of images that are sent, in the model's own count. */
export function imageTokens(images: readonly ToolImage[], modelId: string): number {
  return images.reduce((sum, image) => sum + mediaTokens(image, modelId), 0);
}

/** Parts of the user message that carries the images of results: in tool messages, OpenAI's format has none. */
export function imageParts(results: readonly ToolResultPart[], modelId: string): ViewPart[] {
  const shown = results.flatMap((result) =>
    shownImages(result).map((image) => ({ image, of: result.content.toolName })),
  );
  const names = shown.map(({ image: { filename = 'image' }, of }) => `${plainName(filename)} (${plainName(of)})`);
  const text = toolImagesLabel(names);
  return [
    viewPart('toolResults', countTokens(text, vocabularyOf(modelId)), { type: 'text', text }),
    ...shown.map(({ image }) => {
      const { mediaType, url: data, filename } = image;
      const file = { mediaType, data, ...(filename !== undefined && { filename }) };
      return viewPart('media', mediaTokens(image, modelId), { type: 'file', ...file });
    }),
  ];
}

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

/** Ids of the models of OpenAI-compatible servers: thoughts go back to them as text, in `reasoning_content`. */
const TAKES_TEXT = 'local/';

/**
 * The thoughts that a request holds: only for the model that had them, signed ones wherever they stand, plain text
 * behind the newest words of the user, where models go on from it. None without an answer or a call beside it:
 * providers refuse a message of thoughts.
 */
export function sentThoughts(messages: readonly Message[], modelId: string): ReadonlySet<PartOf<'reasoning'>> {
  const sent = new Set<PartOf<'reasoning'>>();
  let isRunning = modelId.startsWith(TAKES_TEXT);
  for (const message of messages.toReversed()) {
    if (message.role === 'user' && !isEngineNote(message)) isRunning = false;
    const isAnswer = message.parts.some((part) => part.type === 'tool-call' || isSaid(part));
    if (message.role !== 'assistant' || message.modelId !== modelId || !isAnswer) continue;
    for (const part of message.parts) {
      if (part.type !== 'reasoning') continue;
      if (isSigned(part) || (isRunning && part.content.text.trim() !== '')) sent.add(part);
    }
  }
  return sent;
}

/** Some providers sign every answer, also with an empty list: there is nothing to go back then. */
function isSigned({ content: { providerMetadata = {} } }: PartOf<'reasoning'>): boolean {
  const values = Object.values(providerMetadata).flatMap((options) => Object.values(options));
  return values.some((value) => !Array.isArray(value) || value.length > 0);
}
