import { MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import { countRecurringTokens, countTokens, type Vocabulary } from '#server/context/tokens';
import { MESSAGE_CAME, NOTE_LABEL, RESULTS_ARE_IN, TURN_BROKE_OFF } from '#server/core/engine-words';
import type { ContextBreakdown } from '#server/core/events';
import type { Message } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import { isEngineNote, isSaid } from '#server/core/part-text';
import type { Part, PartOf, ToolCallPart, ToolResultPart } from '#server/core/parts';
import { type ToolImage, toolImages } from '#server/core/tool-result';

/* The stored parts that a view holds. */

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
 * Parts that only some requests hold: results whose images are shown, as long as no whole answer followed; and thoughts of the
 * same model, signed ones wherever they stand, plain text behind the newest words of the user, where models go on from
 * it. None without an answer or a call beside it: providers refuse a message of thoughts.
 */
export function passingParts(
  messages: readonly Message[],
  modelId: string,
  results = pairToolResults(messages),
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
      const { text, providerMetadata = {} } = part.content;
      const values = Object.values(providerMetadata).flatMap((options) => Object.values(options));
      // Some providers sign every answer, also with an empty list: there is nothing to go back then.
      const isSigned = values.some((value) => !Array.isArray(value) || value.length > 0);
      if (isSigned || (isRunning && text.trim() !== '')) passing.add(part);
    }
    if (message.status === 'complete' && !GOES_ON.includes(message.finishReason ?? '')) isUnseen = false;
  }
  return passing;
}

/* The messages that it is made of. */

export type ViewKind = Exclude<keyof ContextBreakdown, 'instructions' | 'tools'>;

type ContentPart = ModelMessage['content'][number];

/** One part of a message of the view with its cost, before any per-model factor. */
export interface ViewPart {
  readonly content: ContentPart;
  readonly kind: ViewKind;
  readonly tokens: number;
  /** The stored part that it shows; null: the engine's own words. */
  readonly of: Part | null;
}

/** One message of the view. */
export interface ViewMessage {
  readonly sourceIds: readonly string[];
  readonly role: ModelMessage['role'];
  /** Kind of the message itself, which costs `MESSAGE_OVERHEAD`. */
  readonly kind: ViewKind;
  readonly parts: readonly ViewPart[];
  /** Turn of what was said or done in it; absent: it has none, or it does not matter. */
  readonly turnId?: string | null;
}

export function viewPart(kind: ViewKind, tokens: number, content: ContentPart, of: Part | null = null): ViewPart {
  return { kind, tokens, content, of };
}

export function toModelMessages(view: readonly ViewMessage[]): ModelMessage[] {
  return view.map(({ role, parts }) => ({ role, content: parts.map(({ content }) => content) }) as ModelMessage);
}

/** Tokens of a view by kind, before any per-model factor. */
export function measureView(view: readonly ViewMessage[]): Record<ViewKind, number> {
  const sum = { user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0, media: 0, summary: 0, situation: 0 };
  for (const { kind, parts } of view) {
    sum[kind] += MESSAGE_OVERHEAD;
    for (const part of parts) sum[part.kind] += part.tokens;
  }
  return sum;
}

/** Stands in front where the assistant spoke first. */
const OPENING = `${NOTE_LABEL} The conversation starts with the assistant.`;

/**
 * The view with user and assistant taking turns, as chat templates (Mistral, Gemma) demand: neighbours of one role
 * become one message. As those templates read results as the user's or not at all, a word of the assistant stands
 * between results and a user message. Messages only grow at their end, which keeps the prefix of requests.
 */
export function alternateRoles(view: readonly ViewMessage[], vocabulary: Vocabulary): ViewMessage[] {
  const startsRight = view.length === 0 || view[0]?.role === 'user';
  const told = startsRight ? [] : [engineMessage('user', OPENING, vocabulary)];
  for (const entry of view) {
    const last = told.at(-1);
    const { role } = entry;
    if (last?.role === 'tool' && role === 'user')
      told.push(engineMessage('assistant', wordBetween(last, entry), vocabulary), entry);
    else if (last?.role === role && role !== 'tool') told[told.length - 1] = joined(last, entry, vocabulary);
    else told.push(entry);
  }
  return told;
}

/** The assistant's word between results and what comes next in the user's role. */
function wordBetween(results: ViewMessage, next: ViewMessage): string {
  if (next.kind !== 'user') return RESULTS_ARE_IN;
  const isLater = results.turnId && next.turnId && results.turnId !== next.turnId;
  return isLater ? TURN_BROKE_OFF : MESSAGE_CAME;
}

/** A message of one text that the engine wrote. */
export function engineMessage(
  kind: 'user' | 'summary' | 'assistant',
  text: string,
  vocabulary: Vocabulary,
  sourceIds: readonly string[] = [],
): ViewMessage {
  const parts = [viewPart(kind, countRecurringTokens(text, vocabulary), { type: 'text', text })];
  return { sourceIds, role: kind === 'assistant' ? kind : 'user', kind, parts };
}

/** Providers put the texts of an answer together without a space between them. */
const PARAGRAPH = '\n\n';

function joined(first: ViewMessage, second: ViewMessage, vocabulary: Vocabulary): ViewMessage {
  const isText = ({ content }: ViewPart) => content.type === 'text';
  const next = second.role === 'assistant' && first.parts.some(isText) ? second.parts.find(isText) : undefined;
  const set = second.parts.map((part): ViewPart => {
    if (part !== next || part.content.type !== 'text') return part;
    const content = { ...part.content, text: PARAGRAPH + part.content.text };
    return { ...part, content, tokens: part.tokens + countTokens(PARAGRAPH, vocabulary) };
  });
  return { ...first, sourceIds: [...first.sourceIds, ...second.sourceIds], parts: [...first.parts, ...set] };
}
