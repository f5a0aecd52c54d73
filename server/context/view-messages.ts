import { MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import { countRecurringTokens, countTokens, type Vocabulary } from '#server/context/tokens';
import {
  MESSAGE_RECEIVED_LABEL,
  NOTE_LABEL,
  RESULTS_RECEIVED_LABEL,
  TURN_ENDED_LABEL,
} from '#server/core/conversation/labels';
import type { ContextBreakdown } from '#server/core/conversation/events';
import { type Message, pairToolResults } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { isEngineNote, isSaid } from '#server/core/conversation/part-text';
import type { Part, PartOf, ToolResultPart } from '#server/core/conversation/parts';
import { type ToolImage, toolImages } from '#server/core/conversation/part-types/tool-output';

/* The stored parts that a view contains. */

/** Images of a result that the view can show. A pruned result has none. */
export function shownImages({ compactedAt, content }: ToolResultPart): ToolImage[] {
  return compactedAt === null ? toolImages(content.output) : [];
}

/** Finish reasons of an answer that the next step continues. That step needs the same images again. */
const CONTINUED_REASONS = ['length', 'interrupted'];

/**
 * Prefix of the model ids of OpenAI-compatible servers, to which reasoning is sent back as text in `reasoning_content`.
 */
const TEXT_REASONING_PREFIX = 'local/';

/**
 * Parts that only some requests contain: results whose images are shown until a complete answer follows; and reasoning
 * of the same model, signed reasoning anywhere, plain text only after the newest words of the user, where models
 * continue from it. Never without an answer or a call in the same message, because providers refuse messages that only
 * contain reasoning.
 */
export function passingParts(
  messages: readonly Message[],
  modelId: string,
  results = pairToolResults(messages),
): ReadonlySet<ToolResultPart | PartOf<'reasoning'>> {
  const passing = new Set<ToolResultPart | PartOf<'reasoning'>>();
  let isUnseen = true;
  let isRunning = modelId.startsWith(TEXT_REASONING_PREFIX);
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
      // Some providers sign every answer, possibly with an empty list, in which case there is nothing to send back.
      const isSigned = values.some((value) => !Array.isArray(value) || value.length > 0);
      if (isSigned || (isRunning && text.trim() !== '')) passing.add(part);
    }
    if (message.status === 'complete' && !CONTINUED_REASONS.includes(message.finishReason ?? '')) isUnseen = false;
  }
  return passing;
}

/* The messages of the view. */

/** Kinds of content by which a view is measured. */
export type ViewKind = Exclude<keyof ContextBreakdown, 'instructions' | 'tools'>;

type ContentPart = ModelMessage['content'][number];

/** One part of a message of the view with its cost, before the factor of a model. */
export interface ViewPart {
  readonly content: ContentPart;
  readonly kind: ViewKind;
  readonly tokens: number;
  /** The stored part that it shows. Null: text of the engine. */
  readonly of: Part | null;
}

/** One message of the view. */
export interface ViewMessage {
  readonly sourceIds: readonly string[];
  readonly role: ModelMessage['role'];
  /** Kind of the message itself, which costs `MESSAGE_OVERHEAD`. */
  readonly kind: ViewKind;
  readonly parts: readonly ViewPart[];
  /** Turn of the message. Absent: it has none, or it does not matter. */
  readonly turnId?: string | null;
}

/** A part of a view. @param of the stored part that it shows; null: text of the engine */
export function viewPart(kind: ViewKind, tokens: number, content: ContentPart, of: Part | null = null): ViewPart {
  return { kind, tokens, content, of };
}

/** The view as the messages of a request. */
export function toModelMessages(view: readonly ViewMessage[]): ModelMessage[] {
  return view.map(({ role, parts }) => ({ role, content: parts.map(({ content }) => content) }) as ModelMessage);
}

/** Tokens of a view by kind, before the factor of a model. */
export function measureView(view: readonly ViewMessage[]): Record<ViewKind, number> {
  const sum = { user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0, media: 0, summary: 0, situation: 0 };
  for (const { kind, parts } of view) {
    sum[kind] += MESSAGE_OVERHEAD;
    for (const part of parts) sum[part.kind] += part.tokens;
  }
  return sum;
}

/** Text of the first message if the assistant spoke first. */
const OPENING = `${NOTE_LABEL} The conversation starts with the assistant.`;

/**
 * The view with alternating user and assistant messages, as chat templates (Mistral, Gemma) require: adjacent messages
 * of one role are merged. Those templates read results as user messages or not at all, so an assistant message is
 * inserted between results and a user message. Messages only grow at their end, which keeps the prefix of requests
 * stable.
 */
export function alternateRoles(view: readonly ViewMessage[], vocabulary: Vocabulary): ViewMessage[] {
  const startsRight = view.length === 0 || view[0]?.role === 'user';
  const alternating = startsRight ? [] : [engineMessage('user', OPENING, vocabulary)];
  for (const entry of view) {
    const last = alternating.at(-1);
    const { role } = entry;
    if (last?.role === 'tool' && role === 'user')
      alternating.push(engineMessage('assistant', wordBetween(last, entry), vocabulary), entry);
    else if (last?.role === role && role !== 'tool')
      alternating[alternating.length - 1] = joined(last, entry, vocabulary);
    else alternating.push(entry);
  }
  return alternating;
}

/** The assistant message between results and the next user message. */
function wordBetween(results: ViewMessage, next: ViewMessage): string {
  if (next.kind !== 'user') return RESULTS_RECEIVED_LABEL;
  const isLater = results.turnId && next.turnId && results.turnId !== next.turnId;
  return isLater ? TURN_ENDED_LABEL : MESSAGE_RECEIVED_LABEL;
}

/** A message with a single text that the engine wrote. */
export function engineMessage(
  kind: 'user' | 'summary' | 'assistant',
  text: string,
  vocabulary: Vocabulary,
  sourceIds: readonly string[] = [],
): ViewMessage {
  const parts = [viewPart(kind, countRecurringTokens(text, vocabulary), { type: 'text', text })];
  return { sourceIds, role: kind === 'assistant' ? kind : 'user', kind, parts };
}

/** Between two texts of an answer: providers join them without a separator. */
const TEXT_SEPARATOR = '\n\n';

/** Two messages of one role as one. */
function joined(first: ViewMessage, second: ViewMessage, vocabulary: Vocabulary): ViewMessage {
  const isText = ({ content }: ViewPart) => content.type === 'text';
  const next = second.role === 'assistant' && first.parts.some(isText) ? second.parts.find(isText) : undefined;
  const added = second.parts.map((part): ViewPart => {
    if (part !== next || part.content.type !== 'text') return part;
    const content = { ...part.content, text: TEXT_SEPARATOR + part.content.text };
    return { ...part, content, tokens: part.tokens + countTokens(TEXT_SEPARATOR, vocabulary) };
  });
  return { ...first, sourceIds: [...first.sourceIds, ...second.sourceIds], parts: [...first.parts, ...added] };
}
