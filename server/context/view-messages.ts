import { MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import { countRecurringTokens, countTokens, type Vocabulary } from '#server/context/tokens';
import { RESULTS_ARE_IN, MESSAGE_CAME } from '#server/core/engine-words';
import type { ContextBreakdown } from '#server/core/events';
import type { AssistantModelMessage, ModelMessage } from '#server/core/model-messages';

export type ViewKind = Exclude<keyof ContextBreakdown, 'instructions' | 'tools'>;

/** Cost of one part of a message of the view, before any per-model factor. */
export interface ViewPart {
  readonly kind: ViewKind;
  readonly tokens: number;
  /** A tool output that was cleared, whole or but for an excerpt; an image that is no longer shown. */
  readonly isCleared: boolean;
}

/** One message of the view with what it costs, by kind, before any per-model factor. */
export interface ViewMessage {
  readonly sourceIds: readonly string[];
  readonly message: ModelMessage;
  /** Kind of the message itself, which costs `MESSAGE_OVERHEAD`. */
  readonly kind: ViewKind;
  readonly parts: readonly ViewPart[];
}

export function viewPart(kind: ViewKind, tokens: number, isCleared = false): ViewPart {
  return { kind, tokens, isCleared };
}

export function toModelMessages(view: readonly ViewMessage[]): ModelMessage[] {
  return view.map((entry) => entry.message);
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

/**
 * The view with user and assistant taking turns, as chat templates (Mistral, Gemma) demand: neighbours of one role
 * become one message. As those templates read results as the user's or not at all, a word of the assistant stands
 * between results and a user message. Messages only grow at their end, which keeps the prefix of requests.
 */
export function alternateRoles(view: readonly ViewMessage[], vocabulary: Vocabulary): ViewMessage[] {
  const told: ViewMessage[] = [];
  for (const entry of view) {
    const last = told.at(-1);
    const { role } = entry.message;
    if (last?.message.role === 'tool' && role === 'user')
      told.push(engineMessage('assistant', entry.kind === 'user' ? MESSAGE_CAME : RESULTS_ARE_IN, vocabulary), entry);
    else if (last?.message.role === role && role !== 'tool') told[told.length - 1] = joined(last, entry, vocabulary);
    else told.push(entry);
  }
  return told;
}

/** A message of one text that the engine wrote. */
export function engineMessage(
  kind: 'user' | 'summary' | 'assistant',
  text: string,
  vocabulary: Vocabulary,
  sourceIds: readonly string[] = [],
): ViewMessage {
  const role = kind === 'assistant' ? kind : 'user';
  const parts = [viewPart(kind, countRecurringTokens(text, vocabulary))];
  return { sourceIds, message: { role, content: [{ type: 'text', text }] }, kind, parts };
}

/** Providers put the texts of an answer together without a space between them. */
const PARAGRAPH = '\n\n';

function joined(first: ViewMessage, second: ViewMessage, vocabulary: Vocabulary): ViewMessage {
  const { content } = second.message as AssistantModelMessage;
  const isAnswer = second.message.role === 'assistant' && first.message.content.some(({ type }) => type === 'text');
  const at = isAnswer ? content.findIndex(({ type }) => type === 'text') : -1;
  const gap = countTokens(PARAGRAPH, vocabulary);
  const set = content.map((part, index) =>
    part.type === 'text' && index === at ? { ...part, text: PARAGRAPH + part.text } : part,
  );
  const costs = second.parts.map((part, index) => (index === at ? { ...part, tokens: part.tokens + gap } : part));
  return {
    ...first,
    sourceIds: [...first.sourceIds, ...second.sourceIds],
    message: { ...first.message, content: [...first.message.content, ...set] } as ModelMessage,
    parts: [...first.parts, ...costs],
  };
}
