import { shownInput } from '#server/context/excerpt';
import { fileCost, unseenImage } from '#server/context/media-tokens';
import { countPartTokens, tokensOf, toolResultTokens } from '#server/context/part-tokens';
import { countRecurringTokens, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import {
  imageParts,
  pairToolResults,
  resultText,
  resultTextTokens,
  sentThoughts,
  shownImages,
  unseenResults,
} from '#server/context/tool-results';
import {
  alternateRoles,
  engineMessage,
  type ViewMessage,
  type ViewPart,
  viewPart,
} from '#server/context/view-messages';
import { foreignText, NOTE_LABEL, selectionText, situationText, SUMMARY_LABEL } from '#server/core/engine-words';
import type { JsonValue } from '#server/core/json';
import { CANCELLED, type Message } from '#server/core/messages';
import { isEngineNote, isSaid, toolOutputText } from '#server/core/part-text';
import {
  type Part,
  type PartContent,
  recallIdOf,
  type ToolCallPart,
  type ToolOutput,
  type ToolResultPart,
} from '#server/core/parts';

/** The stored messages that are part of a session's view, in its order. */
export interface StoredView {
  /** Kept verbatim in front of the summary (strategies that remove the middle). */
  readonly leading: readonly Message[];
  /** The newest compaction's summary; null while nothing was compacted. */
  readonly summary: Message | null;
  /** Older messages kept verbatim behind the summary: the newest request of a cut inside one long turn, say. */
  readonly kept: readonly Message[];
  /** Everything from the cut on, without gaps and without summaries. */
  readonly messages: readonly Message[];
}

/** Every message that the view shows verbatim, in order. */
export function verbatimMessages({ leading, kept, messages }: Omit<StoredView, 'summary'>): Message[] {
  return [...leading, ...kept, ...messages];
}

/** Marker of the newest compaction, kept with its summary. */
export function markerOf({ summary }: Pick<StoredView, 'summary'>): PartContent<'compaction-marker'> | undefined {
  return summary?.parts.find((part) => part.type === 'compaction-marker')?.content;
}

const STOPPED_HERE = '[The user stopped this answer here.]';

/** Stands in front where the assistant spoke first. */
const OPENING = `${NOTE_LABEL} The conversation starts with the assistant.`;

const MISSING_RESULT =
  'Interrupted: no result was recorded for this call. Check the current state before repeating it.';

/** Text in the place of a cleared tool output; names the id that brings it back, if there is one. */
export function clearedOutputText(recallId: string | null): string {
  return `[Old tool result content cleared.${recallHint(recallId)}]`;
}

/** Text of an output that did not fit whole: its beginning, and the id of the rest. */
export function excerptedOutputText(text: string, chars: number, recallId: string | null): string {
  const shown = text.slice(0, chars).toWellFormed();
  return `${shown}\n\n[${text.length - chars} of ${text.length} characters left out.${recallHint(recallId)}]`;
}

function recallHint(recallId: string | null): string {
  return recallId === null ? '' : ` recall_output id: ${recallId}`;
}

export function prunedOutputText(part: ToolResultPart): string {
  const { excerptChars, content } = part;
  return excerptChars === null
    ? clearedOutputText(recallIdOf(part))
    : excerptedOutputText(foreignText(toolOutputText(content.output)), excerptChars, recallIdOf(part));
}

/** A call or result as pruning marks it. @param excerptChars see `PrunedPart`; null: nothing of an output */
export function prunedTo<P extends ToolCallPart | ToolResultPart>(part: P, excerptChars: number | null): P {
  return { ...part, compactedAt: part.compactedAt ?? 0, excerptChars };
}

/** Tokens of a part as the view shows it, pruned or whole, counted anew. */
export function shownTokens(part: Part, vocabulary?: Vocabulary): number {
  if (part.type === 'tool-result' && part.compactedAt !== null)
    return toolResultTokens(part.content.toolCallId, prunedOutputText(part), vocabulary);
  if (part.type !== 'tool-call') return countPartTokens(part, vocabulary);
  return countPartTokens({ type: part.type, content: { ...part.content, input: shownInput(part) } }, vocabulary);
}

/**
 * The conversation as the model sees it: the summary as a user message, then every kept message. Valid for every
 * provider whatever is stored: each call is followed by exactly one result, ids are unique, orphans and blank texts are
 * left out, a user message comes first, and user and assistant take turns.
 * @param modelId reasoning and signatures go back only to the model that produced them, unchanged
 * @param acceptsImages false: the model reads a line in the place of each image
 */
export function buildView(stored: StoredView, modelId: string, acceptsImages = true): ViewMessage[] {
  const summary = stored.summary && { id: stored.summary.id, text: markerOf(stored)?.summary ?? '' };
  return buildViewAround(summary, stored, modelId, acceptsImages);
}

/** The view with a summary that may not be stored yet. */
export function buildViewAround(
  summary: { readonly id: string | null; readonly text: string } | null,
  stored: Omit<StoredView, 'summary'>,
  modelId: string,
  acceptsImages = true,
): ViewMessage[] {
  const told = tellingOf(verbatimMessages(stored), modelId, acceptsImages);
  const show = (messages: readonly Message[]) =>
    messages.flatMap((message) => {
      if (message.role === 'user') return userView(message, told);
      if (message.role === 'assistant') return assistantView(message, told);
      return [];
    });
  const vocabulary = vocabularyOf(modelId);
  const view = show(stored.leading);
  if (summary) {
    const ids = summary.id === null ? [] : [summary.id];
    view.push(engineMessage('summary', `${SUMMARY_LABEL}\n\n${summary.text}`, vocabulary, ids));
  }
  view.push(...show([...stored.kept, ...stored.messages]));
  const startsRight = view.length === 0 || view[0]?.role === 'user';
  return alternateRoles(startsRight ? view : [engineMessage('user', OPENING, vocabulary), ...view], vocabulary);
}

type Telling = ReturnType<typeof tellingOf>;

/** Data for telling a view's messages: results by the call's part id, thoughts and unseen images that are sent. */
function tellingOf(verbatim: readonly Message[], modelId: string, acceptsImages: boolean) {
  const results = pairToolResults(verbatim);
  const thoughts = sentThoughts(verbatim, modelId);
  const unseen = unseenResults(verbatim, results);
  return { modelId, acceptsImages, results, thoughts, unseen, uniqueId: createUniqueIds() };
}

/** Text from the app beside the user's words, in front of them wherever it is stored. */
function toldBeside(part: Part): string | null {
  if (part.type === 'situation' && part.content.text.trim() !== '') return situationText(part.content.text);
  return part.type === 'selection' ? selectionText(part.content) : null;
}

function userView(message: Message, { modelId, acceptsImages }: Telling): ViewMessage[] {
  const beside: ViewPart[] = [];
  const said: ViewPart[] = [];
  const isOurs = isEngineNote(message);
  for (const part of message.parts) {
    const told = toldBeside(part);
    if (told !== null) beside.push(viewPart('situation', tokensOf(part), { type: 'text', text: told }));
    else if (isSaid(part)) {
      const text = isOurs ? part.content.text : foreignText(part.content.text);
      said.push(viewPart('user', tokensOf(part), { type: 'text', text }));
    } else if (part.type === 'file') {
      const { mediaType, url, filename, detail } = part.content;
      const line = unseenImage(part, acceptsImages);
      const more = { ...(filename !== undefined && { filename }), ...(detail !== undefined && { detail }) };
      const { text, media } = fileCost(part, modelId, acceptsImages);
      said.push(
        line === null
          ? viewPart(media > 0 ? 'media' : 'user', media || text, { type: 'file', mediaType, data: url, ...more })
          : viewPart('user', text, { type: 'text', text: line }, part.compactedAt !== null),
      );
    }
  }
  const parts = [...beside, ...said];
  return parts.length === 0 ? [] : [{ sourceIds: [message.id], role: 'user', kind: 'user', parts }];
}

/** A call, with its id in the view. */
type Answer = { readonly call: ToolCallPart; readonly id: string };

function assistantView(message: Message, telling: Telling): ViewMessage[] {
  const { modelId, uniqueId } = telling;
  // Signatures go back unchanged to the model they came from, and to no other.
  const signed = (part: SignedPart) => (message.modelId === modelId ? providerOptions(part) : {});
  const parts: ViewPart[] = [];
  const answers: Answer[] = [];
  for (const part of message.parts) {
    if (isSaid(part)) {
      parts.push(viewPart('assistant', tokensOf(part), { type: 'text', text: part.content.text, ...signed(part) }));
    } else if (part.type === 'reasoning' && telling.thoughts.has(part)) {
      const { text } = part.content;
      parts.push(viewPart('reasoning', tokensOf(part), { type: 'reasoning', text, ...signed(part) }));
    } else if (part.type === 'tool-call') {
      const id = uniqueId(part.content.toolCallId);
      const call = { toolCallId: id, toolName: part.content.toolName, input: toInputObject(shownInput(part)) };
      parts.push(viewPart('toolCalls', tokensOf(part), { type: 'tool-call', ...call, ...signed(part) }));
      answers.push({ call: part, id });
    }
  }
  // Nothing may stand between calls and their results: where there are calls, a message behind them says it.
  if (message.finishReason === CANCELLED && answers.length === 0)
    parts.push(viewPart('assistant', countRecurringTokens(STOPPED_HERE), { type: 'text', text: STOPPED_HERE }));
  // Reasoning alone is no answer, and providers refuse a message without one.
  if (parts.every(({ kind }) => kind === 'reasoning')) return [];
  const shown: ViewMessage = { sourceIds: [message.id], role: 'assistant', kind: 'assistant', parts };
  return answers.length === 0 ? [shown] : [shown, toolView(answers, telling), ...toolImagesView(answers, telling)];
}

function toolView(answers: readonly Answer[], { modelId, acceptsImages, results }: Telling): ViewMessage {
  const vocabulary = vocabularyOf(modelId);
  const parts = answers.map(({ call, id }) => {
    const result = results.get(call.id);
    const answer = (tokens: number, output: ToolOutput, isCleared = false) => {
      const { toolName } = call.content;
      return viewPart('toolResults', tokens, { type: 'tool-result', toolCallId: id, toolName, output }, isCleared);
    };
    if (!result) {
      const tokens = toolResultTokens(id, MISSING_RESULT, vocabulary);
      return answer(tokens, { type: 'error-text', value: MISSING_RESULT });
    }
    const { output } = result.content;
    const hasImages = shownImages(result).length > 0;
    const tokens = hasImages ? resultTextTokens(result, acceptsImages, vocabulary) : tokensOf(result);
    if (result.compactedAt !== null) return answer(tokens, { type: 'text', value: prunedOutputText(result) }, true);
    if (output.type !== 'content') return answer(tokens, foreignOutput(output));
    return answer(tokens, { type: 'text', value: foreignText(resultText(result, acceptsImages)) });
  });
  return { sourceIds: [], role: 'tool', kind: 'toolResults', parts };
}

/** An output in which nothing passes for a mark of the engine; as it is where nothing does. */
function foreignOutput<T extends Exclude<ToolOutput, { type: 'content' }>>(output: T): T {
  const json = JSON.stringify(output);
  const safe = foreignText(json);
  return safe === json ? output : (JSON.parse(safe) as T);
}

function toolImagesView(answers: readonly Answer[], telling: Telling): ViewMessage[] {
  const { modelId, acceptsImages, results, unseen } = telling;
  if (!acceptsImages) return [];
  const shown = answers.flatMap(({ call }) => results.get(call.id) ?? []).filter((result) => unseen.has(result));
  if (shown.length === 0) return [];
  return [{ sourceIds: [], role: 'user', kind: 'toolResults', parts: imageParts(shown, modelId) }];
}

type SignedPart = Extract<Part, { type: 'text' | 'reasoning' | 'tool-call' }>;

function providerOptions(part: SignedPart) {
  const { providerMetadata } = part.content;
  return providerMetadata ? { providerOptions: providerMetadata } : {};
}

/** Providers refuse a call whose input is no object; what a model wrote that is none still shows what it tried. */
function toInputObject(input: JsonValue): JsonValue {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input };
}

/** Gives back each id the first time, a free numbered variant when it comes again. */
function createUniqueIds(): (id: string) => string {
  const taken = new Set<string>();
  return (id) => {
    let unique = id;
    for (let count = 2; taken.has(unique); count += 1) unique = `${id}_${count}`;
    taken.add(unique);
    return unique;
  };
}
