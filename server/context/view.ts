import { shownInput } from '#server/context/excerpt';
import { countPartTokens, tokensOf, toolResultTokens } from '#server/context/part-tokens';
import { fileCost, mediaTokens, unseenImage } from '#server/context/media-tokens';
import { countRecurringTokens, STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import {
  alternateRoles,
  engineMessage,
  passingParts,
  shownImages,
  type ViewKind,
  type ViewMessage,
  viewPart,
  type ViewPart,
} from '#server/context/view-messages';
import { createBoundedCache } from '#server/core/bounded-map';
import { addedText } from '#server/core/conversation/added-text';
import { SUMMARY_LABEL, toolImagesLabel } from '#server/core/conversation/labels';
import { WINDOW_KEY } from '#server/core/conversation/part-types/situation';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';
import { isJsonObject } from '#server/core/json';
import { type Message, pairToolResults } from '#server/core/conversation/messages';
import { CANCELLED } from '#server/core/conversation/turns';
import { isEngineNote, isSaid } from '#server/core/conversation/part-text';
import { plainName } from '#server/core/conversation/part-types/image-text';
import { type ToolOutput, toolOutputText } from '#server/core/conversation/part-types/tool-output';
import {
  type Part,
  type PartContent,
  recallIdOf,
  type ToolCallPart,
  type ToolResultPart,
} from '#server/core/conversation/parts';
import { stretch } from '#server/core/text/short-text';

/** The stored messages that are part of the view of a session, in order. */
export interface StoredView {
  /** Kept verbatim before the summary (strategies that remove the middle). */
  readonly leading: readonly Message[];
  /** The summary of the newest compaction. Null: nothing was compacted yet. */
  readonly summary: Message | null;
  /**
   * Older messages that are kept verbatim after the summary, for example the newest request when the cut is inside one
   * long turn.
   */
  readonly kept: readonly Message[];
  /** Everything from the cut on, without gaps and without summaries. */
  readonly messages: readonly Message[];
}

/** Every message that the view shows verbatim, in order. */
export function verbatimMessages({ leading, kept, messages }: Omit<StoredView, 'summary'>): Message[] {
  return [...leading, ...kept, ...messages];
}

/** Marker of the newest compaction, stored with its summary. */
export function markerOf({ summary }: StoredView): PartContent<'compaction-marker'> | undefined {
  return summary?.parts.find((part) => part.type === 'compaction-marker')?.content;
}

/** Note after an answer that the user stopped. */
const STOPPED_HERE = '[The user stopped this answer here.]';

/** Result of a call for which none was stored. */
const MISSING_RESULT: ToolOutput = {
  type: 'error-text',
  value: 'Interrupted: no result was recorded for this call. Check the current state before repeating it.',
};

/** Text that replaces a pruned output: its beginning or nothing of it, and the id to recall it if there is one. */
export function prunedOutputText(part: ToolResultPart): string {
  const { excerptChars, content } = part;
  const recallId = recallIdOf(part);
  const hint = recallId === null ? '' : ` recall_output id: ${recallId}`;
  if (excerptChars === null) return `[Old tool result content cleared.${hint}]`;
  const text = foreignText(toolOutputText(content.output));
  const left = `[${text.length - excerptChars} of ${text.length} characters left out.${hint}]`;
  return `${stretch(text, 0, excerptChars)}\n\n${left}`;
}

/** A call or result as pruning marks it. @param excerptChars see `PrunedPart`; null: nothing of an output is kept */
export function prunedTo<P extends ToolCallPart | ToolResultPart>(part: P, excerptChars: number | null): P {
  return { ...part, compactedAt: part.compactedAt ?? 0, excerptChars };
}

/** Tokens of a part as the view shows it, pruned or complete, counted again. */
export function shownTokens(part: Part, vocabulary?: Vocabulary): number {
  if (part.type === 'tool-result' && part.compactedAt !== null)
    return toolResultTokens(part.content.toolCallId, prunedOutputText(part), vocabulary);
  if (part.type !== 'tool-call') return countPartTokens(part, vocabulary);
  return countPartTokens({ type: part.type, content: { ...part.content, input: shownInput(part) } }, vocabulary);
}

/** The messages with every output and input cut to the minimum. */
export function cutToLeast(messages: readonly Message[], vocabulary: Vocabulary): Message[] {
  const leastOf = (part: Part): Part => {
    const cut = part.type === 'tool-call' || part.type === 'tool-result' ? cuttable(part, vocabulary) : null;
    return cut ? { ...prunedTo(cut.part, 0), tokens: cut.least } : part;
  };
  return messages.map((message) => ({ ...message, parts: message.parts.map(leastOf) }));
}

/** A tool part whose text can be shortened, with its current and minimal tokens. Null: it is minimal already. */
export function cuttable(part: ToolCallPart | ToolResultPart, vocabulary: Vocabulary) {
  if (part.compactedAt !== null && (part.excerptChars ?? 0) === 0) return null;
  const tokens = tokensOf(part);
  const least = shownTokens(prunedTo(part, 0), vocabulary);
  return least < tokens ? { part, tokens, least } : null;
}

/**
 * Counts in vocabularies other than the stored one. The text of a part is constant as long as its count and mark are.
 */
const countsIn = createBoundedCache<number>(50_000);

/** Tokens of a part in a vocabulary, as the view shows it. */
function tokensIn(vocabulary: Vocabulary, part: Part): number {
  if (vocabulary === STORED_VOCABULARY) return tokensOf(part);
  const { id, tokens, compactedAt, excerptChars } = part;
  if (tokens === null) return shownTokens(part, vocabulary);
  return countsIn([vocabulary, id, tokens, compactedAt, excerptChars].join(' '), () => shownTokens(part, vocabulary));
}

/** A summary as the view shows it. */
interface ShownSummary {
  /** Null: it is not stored yet. */
  readonly id: string | null;
  readonly text: string;
}

/** The stored summary as the view shows it; null without one. */
const summaryOf = (stored: StoredView): ShownSummary | null =>
  stored.summary && { id: stored.summary.id, text: markerOf(stored)?.summary ?? '' };

/**
 * The conversation as the model sees it: the summary as a user message, then every kept message. Valid for every
 * provider whatever is stored: each call is followed by exactly one result, ids are unique, orphans and blank texts are
 * left out, a user message comes first, and user and assistant messages alternate.
 * @param modelId reasoning and signatures are sent back only to the model that produced them, unchanged
 * @param acceptsImages false: a line of text replaces each image
 * @param summary replaces the stored summary, for one that is not stored yet
 */
export function buildView(stored: StoredView, modelId: string, acceptsImages = true, summary = summaryOf(stored)) {
  return alternateRoles(shownMessages(stored, modelId, acceptsImages, summary), vocabularyOf(modelId));
}

/**
 * The view and the stored parts with their tokens in requests of this model, before its factor: in its own vocabulary,
 * files and images by the formula of the provider, 0 for what the view leaves out.
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

/** All messages that the view shows, before roles alternate. */
function shownMessages(
  stored: StoredView,
  modelId: string,
  acceptsImages: boolean,
  summary: ShownSummary | null,
): ViewMessage[] {
  const rendering = renderingOf(verbatimMessages(stored), modelId, acceptsImages);
  const show = (message: Message) => {
    if (message.role === 'user') return userView(message, rendering);
    return message.role === 'assistant' ? assistantView(message, rendering) : [];
  };
  const text = summary && `${SUMMARY_LABEL}\n\n${summary.text}`;
  return [
    ...stored.leading.flatMap(show),
    ...(text === null ? [] : [engineMessage('summary', text, rendering.vocabulary, summary?.id ? [summary.id] : [])]),
    ...[...stored.kept.map(withoutWindow), ...stored.messages].flatMap(show),
  ];
}

/** A message from before the summary, without how full the window was then. */
function withoutWindow(message: Message): Message {
  const parts = message.parts.map((part) => {
    if (part.type !== 'situation') return part;
    const { text, facts } = part.content;
    const lines = text.split('\n').filter((line) => line !== facts?.[WINDOW_KEY]);
    return { ...part, content: { ...part.content, text: lines.join('\n') } };
  });
  return { ...message, parts };
}

/** What is needed to show the messages of a view. */
interface Rendering {
  readonly modelId: string;
  readonly acceptsImages: boolean;
  /** Results by the part id of their call. */
  readonly results: ReadonlyMap<string, ToolResultPart>;
  /** Results and reasoning that are sent to the model. */
  readonly passing: ReadonlySet<Part>;
  readonly vocabulary: Vocabulary;
  /** Ids of calls in use. */
  readonly callIds: Set<string>;
}

function renderingOf(verbatim: readonly Message[], modelId: string, acceptsImages: boolean): Rendering {
  const results = pairToolResults(verbatim);
  const passing = passingParts(verbatim, modelId, results);
  return { modelId, acceptsImages, results, passing, vocabulary: vocabularyOf(modelId), callIds: new Set<string>() };
}

/** A part of the view that shows a stored part. */
const shownPart = (kind: ViewKind, part: Part, { vocabulary }: Rendering, content: ViewPart['content']) =>
  viewPart(kind, tokensIn(vocabulary, part), content, part);

/** A message of the user in the view; none without content. */
function userView(message: Message, rendering: Rendering): ViewMessage[] {
  const { modelId, acceptsImages } = rendering;
  const fromApp: ViewPart[] = [];
  const said: ViewPart[] = [];
  for (const part of message.parts) {
    // Text from the app precedes the user's words wherever it is stored.
    const added = addedText(part);
    if (added !== null) fromApp.push(shownPart('situation', part, rendering, { type: 'text', text: added }));
    else if (isSaid(part)) {
      const text = isEngineNote(message) ? part.content.text : foreignText(part.content.text);
      said.push(shownPart('user', part, rendering, { type: 'text', text }));
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
  const parts = [...fromApp, ...said];
  const { turnId } = message;
  return parts.length === 0 ? [] : [{ sourceIds: [message.id], role: 'user', kind: 'user', parts, turnId }];
}

/** A call with its id in the view. */
type Answer = { readonly call: ToolCallPart; readonly id: string };

/** A message of the assistant in the view, with the results of its calls. */
function assistantView(message: Message, rendering: Rendering): ViewMessage[] {
  const { modelId, passing } = rendering;
  // Signatures are sent back unchanged, and only to the model that produced them.
  const signed = ({ content: { providerMetadata } }: SignedPart) =>
    message.modelId === modelId && providerMetadata ? { providerOptions: providerMetadata } : {};
  const parts: ViewPart[] = [];
  const answers: Answer[] = [];
  for (const part of message.parts) {
    if (isSaid(part))
      parts.push(shownPart('assistant', part, rendering, { type: 'text', text: part.content.text, ...signed(part) }));
    else if (part.type === 'reasoning' && passing.has(part)) {
      parts.push(
        shownPart('reasoning', part, rendering, { type: 'reasoning', text: part.content.text, ...signed(part) }),
      );
    } else if (part.type === 'tool-call') {
      const id = uniqueIn(rendering.callIds, part.content.toolCallId);
      const { toolName } = part.content;
      const shown = shownInput(part);
      // Providers refuse a call whose input is not an object. The model still sees what it tried.
      const input = isJsonObject(shown) ? shown : { input: shown };
      parts.push(
        shownPart('toolCalls', part, rendering, {
          type: 'tool-call',
          toolCallId: id,
          toolName,
          input,
          ...signed(part),
        }),
      );
      answers.push({ call: part, id });
    }
  }
  // Nothing may stand between calls and their results, so if there are calls, a message after the results says it.
  if (message.finishReason === CANCELLED && answers.length === 0)
    parts.push(viewPart('assistant', countRecurringTokens(STOPPED_HERE), { type: 'text', text: STOPPED_HERE }));
  // Reasoning alone is not an answer, and providers refuse such a message.
  if (parts.every(({ kind }) => kind === 'reasoning')) return [];
  const shown: ViewMessage = { sourceIds: [message.id], role: 'assistant', kind: 'assistant', parts };
  return answers.length === 0
    ? [shown]
    : [shown, toolView(answers, message.turnId, rendering), ...toolImagesView(answers, rendering)];
}

/** The message with the results of calls; a missing result is reported as an error. */
function toolView(
  answers: readonly Answer[],
  turnId: string | null,
  { vocabulary, acceptsImages, results }: Rendering,
): ViewMessage {
  const parts = answers.map(({ call, id }) => {
    const result = results.get(call.id);
    const output = result ? shownOutput(result, acceptsImages) : MISSING_RESULT;
    // The stored count is that of the stored content: including images, and for a declined call only the reason.
    const isAsStored = result && shownImages(result).length === 0 && result.content.output.type !== 'execution-denied';
    const tokens = isAsStored ? tokensIn(vocabulary, result) : toolResultTokens(id, toolOutputText(output), vocabulary);
    const { toolName } = call.content;
    return viewPart('toolResults', tokens, { type: 'tool-result', toolCallId: id, toolName, output }, result);
  });
  return { sourceIds: [], role: 'tool', kind: 'toolResults', parts, turnId };
}

/** An output in which nothing can pass for a mark of the engine. Images are named, with how to see them again. */
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
 * Explains a declined call to a model. A reason alone reads like an answer of the tool, and providers use wordings of
 * their own. The call may have been declined by the user, by an editor, or in advance by the sender of the message.
 */
export function declinedText(reason: string): string {
  return `This call was declined, and it did not run.${reason === '' ? '' : ` The reason given: ${reason}`}`;
}

/** The user message with the images of results. OpenAI's format does not allow images in tool messages. */
function toolImagesView(answers: readonly Answer[], rendering: Rendering): ViewMessage[] {
  const { modelId, vocabulary, acceptsImages, results, passing } = rendering;
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

/** A part that may have a signature. */
type SignedPart = Extract<Part, { type: 'text' | 'reasoning' | 'tool-call' }>;

/** The id itself the first time, a free numbered variant when it is repeated. */
function uniqueIn(taken: Set<string>, id: string): string {
  let unique = id;
  for (let count = 2; taken.has(unique); count += 1) unique = `${id}_${count}`;
  taken.add(unique);
  return unique;
}
