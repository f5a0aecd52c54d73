import type { ContextBreakdown } from '#server/core/events';
import type { JsonValue } from '#server/core/json';
import type { Message } from '#server/core/messages';
import type {
  AssistantModelMessage,
  ModelMessage,
  ModelToolResult,
  UserModelMessage,
} from '#server/core/model-messages';
import type { Part, ToolCallPart, ToolResultPart } from '#server/core/parts';
import { pairToolResults } from '#server/context/pair-tool-results';
import { MESSAGE_OVERHEAD, toolResultTokens, tokensOf } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';

/** What is stored of a session and still part of its view. */
export interface StoredView {
  /** The newest compaction's summary; null while nothing was compacted. */
  readonly summary: Message | null;
  /**
   * Messages from the first kept one on, in order, without summaries; before them the newest request, should it lie
   * further back (a cut inside one long turn).
   */
  readonly messages: readonly Message[];
}

type ViewKind = Exclude<keyof ContextBreakdown, 'instructions' | 'tools'>;

/** One message of the view with what it costs, by kind, before any per-model factor. */
export interface ViewMessage {
  /** The stored message it shows. */
  readonly sourceId: string | null;
  readonly message: ModelMessage;
  readonly tokens: Partial<Record<ViewKind, number>>;
}

/** First words of a summary as the model reads it: history, said by nobody. */
export const SUMMARY_LABEL = '[Previous conversation summary]';
/** First words of every user message that the engine writes itself; never counts as the user's request. */
export const NOTE_LABEL = '[Note from Throughline]';

const MISSING_RESULT =
  'Interrupted: no result was recorded for this call. Check the current state before repeating it.';

/** What the model reads in place of a cleared tool output; names the id that brings it back. */
export function clearedOutputText(partId: string): string {
  return `[Old tool result content cleared. recall_output id: ${partId}]`;
}

/**
 * The conversation as the model sees it: the summary as a user message, then every kept message, cleared outputs
 * replaced by their placeholder. Valid for every provider whatever is stored: each call is followed at once by
 * exactly one result, ids are unique, orphans and empty messages are left out, and a user message comes first. These
 * repairs exist in the view only.
 * @param modelId reasoning and signatures go back only to the model that produced them, unchanged
 */
export function buildView(stored: StoredView, modelId: string): ViewMessage[] {
  const results = pairToolResults(stored.messages);
  const uniqueId = createUniqueIds();
  const view = stored.messages.flatMap((message) => {
    if (message.role === 'user') return userView(message);
    if (message.role === 'assistant') return assistantView(message, modelId, results, uniqueId);
    return [];
  });
  const withSummary = stored.summary ? [summaryView(stored.summary), ...view] : view;
  return startsWithUser(withSummary) ? withSummary : [openingNote(), ...withSummary];
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

function userView(message: Message): ViewMessage[] {
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
      tokens.media += tokensOf(part);
    }
  }
  return content.length === 0 ? [] : [{ sourceId: message.id, message: { role: 'user', content }, tokens }];
}

function assistantView(
  message: Message,
  modelId: string,
  results: ReadonlyMap<string, ToolResultPart>,
  uniqueId: (id: string) => string,
): ViewMessage[] {
  // Signatures go back unchanged to the model they came from, and to no other.
  const isOwn = message.modelId === modelId;
  const signed = (part: SignedPart) => (isOwn ? providerOptions(part) : {});
  const content: AssistantModelMessage['content'] = [];
  const tokens = { assistant: MESSAGE_OVERHEAD, reasoning: 0, toolCalls: 0, media: 0 };
  const answers: { call: ToolCallPart; id: string }[] = [];
  for (const part of message.parts) {
    if (part.type === 'text' && part.content.text !== '') {
      content.push({ type: 'text', text: part.content.text, ...signed(part) });
      tokens.assistant += tokensOf(part);
    } else if (part.type === 'reasoning' && part.content.providerMetadata && isOwn) {
      content.push({ type: 'reasoning', text: part.content.text, ...signed(part) });
      tokens.reasoning += tokensOf(part);
    } else if (part.type === 'tool-call') {
      const id = uniqueId(part.content.toolCallId);
      const { toolName } = part.content;
      const input = toInputObject(part.content.input);
      content.push({ type: 'tool-call', toolCallId: id, toolName, input, ...signed(part) });
      tokens.toolCalls += tokensOf(part);
      answers.push({ call: part, id });
    }
  }
  // Reasoning alone is no answer, and providers refuse a message without one.
  if (!content.some((part) => part.type !== 'reasoning')) return [];
  const shown: ViewMessage = { sourceId: message.id, message: { role: 'assistant', content }, tokens };
  return answers.length === 0 ? [shown] : [shown, toolView(answers, results)];
}

function toolView(
  answers: readonly { call: ToolCallPart; id: string }[],
  results: ReadonlyMap<string, ToolResultPart>,
): ViewMessage {
  let tokens = MESSAGE_OVERHEAD;
  const content = answers.map(({ call, id }): ModelToolResult => {
    const result = results.get(call.id);
    const common = { type: 'tool-result', toolCallId: id, toolName: call.content.toolName } as const;
    tokens += result ? tokensOf(result) : toolResultTokens(id, MISSING_RESULT);
    if (!result) return { ...common, output: { type: 'error-text', value: MISSING_RESULT } };
    if (result.compactedAt === null) return { ...common, output: result.content.output };
    return { ...common, output: { type: 'text', value: clearedOutputText(result.id) } };
  });
  return { sourceId: null, message: { role: 'tool', content }, tokens: { toolResults: tokens } };
}

function summaryView(summary: Message): ViewMessage {
  const marker = summary.parts.find((part) => part.type === 'compaction-marker');
  const text = `${SUMMARY_LABEL}\n\n${marker?.content.summary ?? ''}`;
  return {
    sourceId: summary.id,
    message: { role: 'user', content: [{ type: 'text', text }] },
    tokens: { summary: MESSAGE_OVERHEAD + countTokens(text) },
  };
}

function openingNote(): ViewMessage {
  const text = `${NOTE_LABEL} The conversation starts with the assistant.`;
  return {
    sourceId: null,
    message: { role: 'user', content: [{ type: 'text', text }] },
    tokens: { user: MESSAGE_OVERHEAD + countTokens(text) },
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
