import { shownInput } from '#server/context/excerpt';
import {
  countPartTokens,
  fileCost,
  mediaTokens,
  tokensOf,
  toolResultTokens,
  unseenImage,
} from '#server/context/part-tokens';
import { countRecurringTokens, STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import {
  alternateRoles,
  engineMessage,
  pairToolResults,
  passingParts,
  shownImages,
  type ViewKind,
  type ViewMessage,
  viewPart,
  type ViewPart,
} from '#server/context/view-messages';
import { createBoundedCache } from '#server/core/bounded-map';
import { selectionText, situationText, SUMMARY_LABEL, toolImagesLabel } from '#server/core/engine-words';
import { foreignText } from '#server/core/foreign-text';
import { isJsonObject } from '#server/core/json';
import type { Message } from '#server/core/messages';
import { CANCELLED } from '#server/core/turns';
import { isEngineNote, isSaid, plainName, toolOutputText } from '#server/core/part-text';
import {
  type Part,
  type PartContent,
  recallIdOf,
  type ToolCallPart,
  type ToolOutput,
  type ToolResultPart,
} from '#server/core/parts';
import { stretch } from '#server/core/short-text';

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

const MISSING_RESULT: ToolOutput = {
  type: 'error-text',
  value: 'Interrupted: no result was recorded for this call. Check the current state before repeating it.',
};

/** Text in the place of a pruned output: none of it or its beginning, and the id that brings it back, if there is one. */
export function prunedOutputText(part: ToolResultPart): string {
  const { excerptChars, content } = part;
  const recallId = recallIdOf(part);
  const hint = recallId === null ? '' : ` recall_output id: ${recallId}`;
  if (excerptChars === null) return `[Old tool result content cleared.${hint}]`;
  const text = foreignText(toolOutputText(content.output));
  const left = `[${text.length - excerptChars} of ${text.length} characters left out.${hint}]`;
  return `${stretch(text, 0, excerptChars)}\n\n${left}`;
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

/** The messages as they are when every output and input of them is cut to the least. */
export function cutToLeast(messages: readonly Message[], vocabulary: Vocabulary): Message[] {
  const leastOf = (part: Part): Part => {
    const cut = part.type === 'tool-call' || part.type === 'tool-result' ? cuttable(part, vocabulary) : null;
    return cut ? { ...prunedTo(cut.part, 0), tokens: cut.least } : part;
  };
  return messages.map((message) => ({ ...message, parts: message.parts.map(leastOf) }));
}

/** A tool part whose text can be shortened, with its tokens now and at least; null: it is as short as it can be. */
export function cuttable(part: ToolCallPart | ToolResultPart, vocabulary: Vocabulary) {
  if (part.compactedAt !== null && (part.excerptChars ?? 0) === 0) return null;
  const tokens = tokensOf(part);
  const least = shownTokens(prunedTo(part, 0), vocabulary);
  return least < tokens ? { part, tokens, least } : null;
}

/** Counts in other vocabularies than the stored one. A part's text stays the same while its count and mark do. */
const counted = createBoundedCache<number>(50_000);

function tokensIn(vocabulary: Vocabulary, part: Part): number {
  if (vocabulary === STORED_VOCABULARY) return tokensOf(part);
  const { id, tokens, compactedAt, excerptChars } = part;
  if (tokens === null) return shownTokens(part, vocabulary);
  return counted([vocabulary, id, tokens, compactedAt, excerptChars].join(' '), () => shownTokens(part, vocabulary));
}

const summaryOf = (stored: StoredView) =>
  stored.summary && { id: stored.summary.id as string | null, text: markerOf(stored)?.summary ?? '' };

/**
 * The conversation as the model sees it: the summary as a user message, then every kept message. Valid for every
 * provider whatever is stored: each call is followed by exactly one result, ids are unique, orphans and blank texts are
 * left out, a user message comes first, and user and assistant take turns.
 * @param modelId reasoning and signatures go back only to the model that produced them, unchanged
 * @param acceptsImages false: the model reads a line in the place of each image
 * @param summary in the place of the stored one, where it is not stored yet
 */
export function buildView(stored: StoredView, modelId: string, acceptsImages = true, summary = summaryOf(stored)) {
  return alternateRoles(shownMessages(stored, modelId, acceptsImages, summary), vocabularyOf(modelId));
}

/**
 * The view, and what is stored with the tokens of each part as this model's requests will have them, before its factor:
 * in its own vocabulary, files and images by the provider's formula, nothing for what the view leaves out.
 */
export function buildPricedView(
  stored: StoredView,
  target: { readonly modelId: string; readonly tokenFactor: number; readonly acceptsImages?: boolean },
): { readonly view: ViewMessage[]; readonly stored: StoredView } {
  const { modelId, tokenFactor, acceptsImages = true } = target;
  const shown = shownMessages(stored, modelId, acceptsImages, summaryOf(stored));
  const prices = new Map<string, number>();
  for (const { of, kind, tokens } of shown.flatMap(({ parts }) => parts)) {
    if (of) prices.set(of.id, (prices.get(of.id) ?? 0) + (kind === 'media' ? tokens / tokenFactor : tokens));
  }
  const price = (part: Part) => ({ ...part, tokens: Math.ceil(prices.get(part.id) ?? 0) });
  const priced = (messages: readonly Message[]) =>
    messages.map((message) => ({ ...message, parts: message.parts.map(price) }));
  const { leading, summary, kept, messages } = stored;
  const view = alternateRoles(shown, vocabularyOf(modelId));
  return { view, stored: { leading: priced(leading), summary, kept: priced(kept), messages: priced(messages) } };
}

function shownMessages(
  stored: StoredView,
  modelId: string,
  acceptsImages: boolean,
  summary: ReturnType<typeof summaryOf>,
): ViewMessage[] {
  const telling = tellingOf(verbatimMessages(stored), modelId, acceptsImages);
  const show = (message: Message) => {
    if (message.role === 'user') return userView(message, telling);
    return message.role === 'assistant' ? assistantView(message, telling) : [];
  };
  const text = summary && `${SUMMARY_LABEL}\n\n${summary.text}`;
  return [
    ...stored.leading.flatMap(show),
    ...(text === null ? [] : [engineMessage('summary', text, telling.vocabulary, summary?.id ? [summary.id] : [])]),
    ...[...stored.kept, ...stored.messages].flatMap(show),
  ];
}

type Telling = ReturnType<typeof tellingOf>;

/** Data for telling a view's messages: results by the call's part id, ids of calls that are taken. */
function tellingOf(verbatim: readonly Message[], modelId: string, acceptsImages: boolean) {
  const results = pairToolResults(verbatim);
  const passing = passingParts(verbatim, modelId, results);
  return { modelId, acceptsImages, results, passing, vocabulary: vocabularyOf(modelId), callIds: new Set<string>() };
}

const tell = (kind: ViewKind, part: Part, { vocabulary }: Telling, content: ViewPart['content']) =>
  viewPart(kind, tokensIn(vocabulary, part), content, part);

function userView(message: Message, telling: Telling): ViewMessage[] {
  const { modelId, acceptsImages } = telling;
  const beside: ViewPart[] = [];
  const said: ViewPart[] = [];
  for (const part of message.parts) {
    // From the app, and in front of the user's words wherever it is stored.
    const isTold = part.type === 'selection' || (part.type === 'situation' && part.content.text.trim() !== '');
    if (isTold) {
      const text = part.type === 'selection' ? selectionText(part.content) : situationText(part.content.text);
      beside.push(tell('situation', part, telling, { type: 'text', text }));
    } else if (isSaid(part)) {
      const text = isEngineNote(message) ? part.content.text : foreignText(part.content.text);
      said.push(tell('user', part, telling, { type: 'text', text }));
    } else if (part.type === 'file') {
      const { mediaType, url: data, filename, detail } = part.content;
      const line = unseenImage(part, acceptsImages);
      const more = { ...(filename !== undefined && { filename }), ...(detail !== undefined && { detail }) };
      const { text, media } = fileCost(part, modelId, acceptsImages);
      const file = { type: 'file', mediaType, data, ...more } as const;
      const content = line === null ? file : ({ type: 'text', text: line } as const);
      said.push(viewPart(media > 0 ? 'media' : 'user', media || text, content, part));
    }
  }
  const parts = [...beside, ...said];
  const { turnId } = message;
  return parts.length === 0 ? [] : [{ sourceIds: [message.id], role: 'user', kind: 'user', parts, turnId }];
}

/** A call, with its id in the view. */
type Answer = { readonly call: ToolCallPart; readonly id: string };

function assistantView(message: Message, telling: Telling): ViewMessage[] {
  const { modelId, passing } = telling;
  // Signatures go back unchanged to the model they came from, and to no other.
  const signed = ({ content: { providerMetadata } }: SignedPart) =>
    message.modelId === modelId && providerMetadata ? { providerOptions: providerMetadata } : {};
  const parts: ViewPart[] = [];
  const answers: Answer[] = [];
  for (const part of message.parts) {
    if (isSaid(part))
      parts.push(tell('assistant', part, telling, { type: 'text', text: part.content.text, ...signed(part) }));
    else if (part.type === 'reasoning' && passing.has(part)) {
      parts.push(tell('reasoning', part, telling, { type: 'reasoning', text: part.content.text, ...signed(part) }));
    } else if (part.type === 'tool-call') {
      const id = uniqueIn(telling.callIds, part.content.toolCallId);
      const { toolName } = part.content;
      const shown = shownInput(part);
      // Providers refuse a call whose input is no object; what a model wrote that is none still shows what it tried.
      const input = isJsonObject(shown) ? shown : { input: shown };
      parts.push(
        tell('toolCalls', part, telling, { type: 'tool-call', toolCallId: id, toolName, input, ...signed(part) }),
      );
      answers.push({ call: part, id });
    }
  }
  // Nothing may stand between calls and their results: where there are calls, a message behind them says it.
  if (message.finishReason === CANCELLED && answers.length === 0)
    parts.push(viewPart('assistant', countRecurringTokens(STOPPED_HERE), { type: 'text', text: STOPPED_HERE }));
  // Reasoning alone is no answer, and providers refuse a message without one.
  if (parts.every(({ kind }) => kind === 'reasoning')) return [];
  const shown: ViewMessage = { sourceIds: [message.id], role: 'assistant', kind: 'assistant', parts };
  return answers.length === 0
    ? [shown]
    : [shown, toolView(answers, message.turnId, telling), ...toolImagesView(answers, telling)];
}

function toolView(
  answers: readonly Answer[],
  turnId: string | null,
  { vocabulary, acceptsImages, results }: Telling,
): ViewMessage {
  const parts = answers.map(({ call, id }) => {
    const result = results.get(call.id);
    const output = result ? shownOutput(result, acceptsImages) : MISSING_RESULT;
    // The stored count is of what is stored: it has the images in it, and a declined call's reason alone.
    const isAsStored = result && shownImages(result).length === 0 && result.content.output.type !== 'execution-denied';
    const tokens = isAsStored ? tokensIn(vocabulary, result) : toolResultTokens(id, toolOutputText(output), vocabulary);
    const { toolName } = call.content;
    return viewPart('toolResults', tokens, { type: 'tool-result', toolCallId: id, toolName, output }, result);
  });
  return { sourceIds: [], role: 'tool', kind: 'toolResults', parts, turnId };
}

/** An output in which nothing passes for a mark of the engine; images are named, with how they are seen again. */
function shownOutput(result: ToolResultPart, acceptsImages: boolean): ToolOutput {
  const { output } = result.content;
  if (result.compactedAt !== null) return { type: 'text', value: prunedOutputText(result) };
  if (output.type === 'content') {
    const text = toolOutputText(output);
    const again = `[Images of a result are shown once, right behind it. recall_output id: ${result.id} shows them again.]`;
    const note = acceptsImages ? again : '[This model cannot see images.]';
    return { type: 'text', value: foreignText(shownImages(result).length === 0 ? text : `${text}\n\n${note}`) };
  }
  if (output.type === 'execution-denied')
    return { type: output.type, reason: foreignText(declinedText(output.reason ?? '')) };
  const json = JSON.stringify(output);
  const safe = foreignText(json);
  return safe === json ? output : (JSON.parse(safe) as ToolOutput);
}

/**
 * Words for a model: without them a reason alone reads like an answer of the tool, and providers say what they like. Who
 * declined may be the user, an editor, or the sender of the message in advance.
 */
export function declinedText(reason: string): string {
  return `This call was declined, and it did not run.${reason === '' ? '' : ` The reason given: ${reason}`}`;
}

/** The user message that carries the images of results: in tool messages, OpenAI's format has none. */
function toolImagesView(answers: readonly Answer[], telling: Telling): ViewMessage[] {
  const { modelId, vocabulary, acceptsImages, results, passing } = telling;
  const shown = answers.flatMap(({ call }) => results.get(call.id) ?? []).filter((result) => passing.has(result));
  if (!acceptsImages || shown.length === 0) return [];
  const images = shown.flatMap((of) => shownImages(of).map((image) => ({ image, of })));
  const names = images.map(
    ({ image: { filename = 'image' }, of }) => `${plainName(filename)} (${plainName(of.content.toolName)})`,
  );
  const text = toolImagesLabel(names);
  const parts = images.map(({ image, of }) => {
    const { mediaType, url, filename } = image;
    const content = { type: 'file', mediaType, data: url, ...(filename !== undefined && { filename }) } as const;
    return viewPart('media', mediaTokens(image, modelId), content, of);
  });
  const label = viewPart('toolResults', countRecurringTokens(text, vocabulary), { type: 'text', text });
  return [{ sourceIds: [], role: 'user', kind: 'toolResults', parts: [label, ...parts] }];
}

type SignedPart = Extract<Part, { type: 'text' | 'reasoning' | 'tool-call' }>;

/** The id the first time, a free numbered variant when it comes again. */
function uniqueIn(taken: Set<string>, id: string): string {
  let unique = id;
  for (let count = 2; taken.has(unique); count += 1) unique = `${id}_${count}`;
  taken.add(unique);
  return unique;
}
