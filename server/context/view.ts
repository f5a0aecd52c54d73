import { NOTE_LABEL, SUMMARY_LABEL } from '#server/core/engine-words';
import type { ContextBreakdown } from '#server/core/events';
import type { JsonValue } from '#server/core/json';
import type { Message } from '#server/core/messages';
import type {
  AssistantModelMessage,
  ModelMessage,
  ModelToolResult,
  UserModelMessage,
} from '#server/core/model-messages';
import type { Part, PartOf, ToolCallPart, ToolResultPart } from '#server/core/parts';
import { CANCELLED } from '#server/core/turns';
import { pairToolResults } from '#server/context/pair-tool-results';
import { toolOutputText } from '#server/core/part-text';
import { MESSAGE_OVERHEAD, toolResultTokens, tokensOf } from '#server/context/part-tokens';
import { countRecurringTokens, countTokens } from '#server/context/tokens';
import { shownInput } from '#server/context/excerpt-input';
import { mediaTokens } from '#server/context/media-tokens';
import { type Vocabulary, vocabularyOf } from '#server/context/vocabulary';

/** What is stored of a session and still part of its view, in the order of the view. */
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

type ViewKind = Exclude<keyof ContextBreakdown, 'instructions' | 'tools'>;

/** One message of the view with what it costs, by kind, before any per-model factor. */
export interface ViewMessage {
  /** The stored message it shows. */
  readonly sourceId: string | null;
  readonly message: ModelMessage;
  readonly tokens: Partial<Record<ViewKind, number>>;
}

/** What the model reads where the user stopped an answer. */
const STOPPED_HERE = '[The user stopped this answer here.]';

const MISSING_RESULT =
  'Interrupted: no result was recorded for this call. Check the current state before repeating it.';

/** What the model reads in place of a cleared tool output; names the id that brings it back. */
export function clearedOutputText(partId: string): string {
  return `[Old tool result content cleared. recall_output id: ${partId}]`;
}

/** What the model reads of an output that did not fit whole: its beginning, and the id of the rest. */
export function excerptedOutputText(text: string, chars: number, partId: string): string {
  const shown = text.slice(0, chars).toWellFormed();
  return `${shown}\n\n[${text.length - chars} of ${text.length} characters left out. recall_output id: ${partId}]`;
}

/** What the model reads of a pruned output: its excerpt, or where it is found. */
export function prunedOutputText({ id, excerptChars, content }: ToolResultPart): string {
  return excerptChars === null
    ? clearedOutputText(id)
    : excerptedOutputText(toolOutputText(content.output), excerptChars, id);
}

/**
 * The conversation as the model sees it: the summary as a user message, then every kept message, cleared outputs
 * replaced by their placeholder. Valid for every provider whatever is stored: each call is followed at once by
 * exactly one result, ids are unique, orphans and empty messages are left out, and a user message comes first. These
 * repairs exist in the view only.
 * @param modelId reasoning and signatures go back only to the model that produced them, unchanged
 */
export function buildView(stored: StoredView, modelId: string): ViewMessage[] {
  const marker = stored.summary?.parts.find((part) => part.type === 'compaction-marker');
  const summary = stored.summary && { id: stored.summary.id, text: marker?.content.summary ?? '' };
  return buildViewAround(summary, stored, modelId);
}

/** The view with a summary that may not be stored yet. */
export function buildViewAround(
  summary: { readonly id: string | null; readonly text: string } | null,
  stored: Omit<StoredView, 'summary'>,
  modelId: string,
): ViewMessage[] {
  const results = pairToolResults(verbatimMessages(stored));
  const uniqueId = createUniqueIds();
  const show = (messages: readonly Message[]) =>
    messages.flatMap((message) => {
      if (message.role === 'user') return userView(message, modelId);
      if (message.role === 'assistant') return assistantView(message, modelId, results, uniqueId);
      return [];
    });
  const leading = show(stored.leading);
  const told = summary ? [summaryView(summary, vocabularyOf(modelId))] : [];
  const view = [...leading, ...told, ...show([...stored.kept, ...stored.messages])];
  return startsWithUser(view) ? view : [openingNote(vocabularyOf(modelId)), ...view];
}

/** The messages alone, as a step sends them. */
export function toModelMessages(view: readonly ViewMessage[]): ModelMessage[] {
  return view.map((entry) => entry.message);
}

/** Tokens of a view by kind, before any per-model factor. */
export function measureView(view: readonly ViewMessage[]): Record<ViewKind, number> {
  const sum = { user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0, media: 0, summary: 0 };
  for (const { tokens } of view) {
    for (const kind of Object.keys(sum) as ViewKind[]) sum[kind] += tokens[kind] ?? 0;
  }
  return sum;
}

function userView(message: Message, modelId: string): ViewMessage[] {
  const content: UserModelMessage['content'] = [];
  const tokens = { user: MESSAGE_OVERHEAD, media: 0 };
  for (const part of message.parts) {
    if (part.type === 'text' && part.content.text !== '') {
      content.push({ type: 'text', text: part.content.text });
      tokens.user += tokensOf(part);
    }
    if (part.type === 'file') {
      const { mediaType, url, filename } = part.content;
      content.push({ type: 'file', mediaType, data: url, ...(filename === undefined ? {} : { filename }) });
      tokens.media += mediaTokens(part.content, modelId);
    }
  }
  return content.length === 0 ? [] : [{ sourceId: message.id, message: { role: 'user', content }, tokens }];
}

/** Only the model that produced it takes it back, and only with its signature. */
export function isReasoningShown(part: PartOf<'reasoning'>, message: Message, modelId: string): boolean {
  return part.content.providerMetadata !== undefined && message.modelId === modelId;
}

function assistantView(
  message: Message,
  modelId: string,
  results: ReadonlyMap<string, ToolResultPart>,
  uniqueId: (id: string) => string,
): ViewMessage[] {
  // Signatures go back unchanged to the model they came from, and to no other.
  const signed = (part: SignedPart) => (message.modelId === modelId ? providerOptions(part) : {});
  const content: AssistantModelMessage['content'] = [];
  const tokens = { assistant: MESSAGE_OVERHEAD, reasoning: 0, toolCalls: 0, media: 0 };
  const answers: { call: ToolCallPart; id: string }[] = [];
  for (const part of message.parts) {
    if (part.type === 'text' && part.content.text !== '') {
      content.push({ type: 'text', text: part.content.text, ...signed(part) });
      tokens.assistant += tokensOf(part);
    } else if (part.type === 'reasoning' && isReasoningShown(part, message, modelId)) {
      content.push({ type: 'reasoning', text: part.content.text, ...signed(part) });
      tokens.reasoning += tokensOf(part);
    } else if (part.type === 'tool-call') {
      const id = uniqueId(part.content.toolCallId);
      const { toolName } = part.content;
      const input = toInputObject(shownInput(part));
      content.push({ type: 'tool-call', toolCallId: id, toolName, input, ...signed(part) });
      tokens.toolCalls += tokensOf(part);
      answers.push({ call: part, id });
    }
  }
  // Nothing may stand between calls and their results: where there are calls, a message behind them says it.
  if (message.finishReason === CANCELLED && answers.length === 0) {
    content.push({ type: 'text', text: STOPPED_HERE });
    tokens.assistant += countRecurringTokens(STOPPED_HERE);
  }
  // Reasoning alone is no answer, and providers refuse a message without one.
  if (!content.some((part) => part.type !== 'reasoning')) return [];
  const shown: ViewMessage = { sourceId: message.id, message: { role: 'assistant', content }, tokens };
  return answers.length === 0 ? [shown] : [shown, toolView(answers, results, vocabularyOf(modelId))];
}

function toolView(
  answers: readonly { call: ToolCallPart; id: string }[],
  results: ReadonlyMap<string, ToolResultPart>,
  vocabulary: Vocabulary,
): ViewMessage {
  let tokens = MESSAGE_OVERHEAD;
  const content = answers.map(({ call, id }): ModelToolResult => {
    const result = results.get(call.id);
    const common = { type: 'tool-result', toolCallId: id, toolName: call.content.toolName } as const;
    tokens += result ? tokensOf(result) : toolResultTokens(id, MISSING_RESULT, vocabulary);
    if (!result) return { ...common, output: { type: 'error-text', value: MISSING_RESULT } };
    if (result.compactedAt === null) return { ...common, output: result.content.output };
    return { ...common, output: { type: 'text', value: prunedOutputText(result) } };
  });
  return { sourceId: null, message: { role: 'tool', content }, tokens: { toolResults: tokens } };
}

function summaryView(
  summary: { readonly id: string | null; readonly text: string },
  vocabulary: Vocabulary,
): ViewMessage {
  const text = `${SUMMARY_LABEL}\n\n${summary.text}`;
  return {
    sourceId: summary.id,
    message: { role: 'user', content: [{ type: 'text', text }] },
    tokens: { summary: MESSAGE_OVERHEAD + countRecurringTokens(text, vocabulary) },
  };
}

function openingNote(vocabulary: Vocabulary): ViewMessage {
  const text = `${NOTE_LABEL} The conversation starts with the assistant.`;
  return {
    sourceId: null,
    message: { role: 'user', content: [{ type: 'text', text }] },
    tokens: { user: MESSAGE_OVERHEAD + countTokens(text, vocabulary) },
  };
}

function startsWithUser(view: readonly ViewMessage[]): boolean {
  return view.length === 0 || view[0]?.message.role === 'user';
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
