import type { NewMessage } from '#server/core/messages';
import type { Session } from '#server/core/sessions';
import { ContextManager } from '#server/context/context-manager';
import { type ContextSettings, defaultSettings } from '#server/context/settings/context-settings';
import { withTokens } from '#server/context/part-tokens';
import type {
  ContextDependencies,
  ContextRequest,
  ContextStore,
  Summarizer,
  SummaryAnswer,
} from '#server/context/ports';

/*
 * The engine without models and without a server around it, for a window of 16,000 tokens. Imports nothing of the test
 * runner, so that processes of their own can use it too.
 */

/** The id of the model that writes the summaries. */
export const SUMMARIZER = 'test/summarizer';

/** A summary that passes every check. */
export const TOLD = [
  '### Original Task\nBuild out the pottery site.',
  '### What Was Accomplished\nPages and posts were made and changed.',
  '### Current State\nDrafts are open.',
  '### User Preferences\n- Likes it short.',
  '### What Comes Next\nMore of the same.',
].join('\n\n');

/** As they are stored by whoever knows their tokens. */
export const counted = (messages: readonly NewMessage[]) =>
  messages.map((message) => ({ ...message, parts: message.parts.map(withTokens) }));

export function engineOver(
  store: ContextStore,
  changes: Partial<ContextSettings> = {},
  now: () => number = Date.now,
  more: Pick<ContextDependencies, 'onSummary'> = {},
): ContextManager {
  const settings = { ...defaultSettings, ...changes, exemptTools: new Set<string>() };
  return new ContextManager({ store, ledger: () => Promise.resolve([]), settings: () => settings, now, ...more });
}

/** The session for a model with a window of 16,000 tokens. */
export function requestFor({ id }: Pick<Session, 'id'>, summarizer: Summarizer | null): ContextRequest {
  const fixed = { instructions: 300, tools: 1_200 };
  const limits = { contextWindow: 16_000, maxOutputTokens: 4_000 };
  const target = { modelId: 'openai/gpt-4o', ...limits, warning: null, tokenFactor: 1, fixed };
  return { sessionId: id, summarizer, target };
}

/** A summarizer without a model behind it. */
export function summarizerOf(answer: (signal: AbortSignal | undefined) => Promise<string>): Summarizer {
  const usage = { inputTokens: 700, outputTokens: 50 };
  const give = async (signal: AbortSignal | undefined): Promise<SummaryAnswer> => ({
    text: await answer(signal),
    finishReason: 'stop',
    usage,
  });
  return {
    modelId: SUMMARIZER,
    inputTokens: 10_000,
    summarize: ({ signal }) => give(signal),
    prune: ({ signal }) => give(signal),
  };
}
