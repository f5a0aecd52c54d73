import type { LedgerEntry, Thing } from '#server/core/conversation/compactions';
import type { NewMessage } from '#server/core/conversation/messages';
import { ContextManager } from '#server/context/context-manager';
import { type ContextSettings, defaultSettings } from '#server/context/settings/context-settings';
import { withTokens } from '#server/context/part-tokens';
import type {
  ContextRequest,
  EngineProcess,
  EngineState,
  EngineSession,
  SessionSite,
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

/** As stored with known tokens. */
export const counted = (messages: readonly NewMessage[]) =>
  messages.map((message) => ({ ...message, parts: message.parts.map(withTokens) }));

/** What the engine takes from its process. Default: the default settings and the system clock. */
export function engineProcess(
  changes: Partial<ContextSettings> = {},
  now: () => number = Date.now,
  summary: EngineProcess['watch']['summary'] = () => undefined,
): EngineState {
  const settings = { ...defaultSettings, exemptTools: new Set<string>(), ...changes };
  return { settings: { current: () => settings }, now, watch: { summary }, quoting: new Set() };
}

export function engineWith(...process: Parameters<typeof engineProcess>): ContextManager {
  return new ContextManager(engineProcess(...process));
}

/** A site with this journal and these things, without standing instructions. */
export const siteWith = (journal: () => LedgerEntry[], things: () => Thing[] = () => []): SessionSite => ({
  ledger: () => Promise.resolve(journal()),
  state: () => Promise.resolve(things()),
  standing: () => '',
});

/** The session for a model with a window of 16,000 tokens. */
export function requestFor(session: EngineSession, summarizer: Summarizer | null): ContextRequest {
  const fixed = { instructions: 300, tools: 1_200 };
  const limits = { contextWindow: 16_000, maxOutputTokens: 4_000 };
  const target = { modelId: 'openai/gpt-4o', ...limits, warning: null, tokenFactor: 1, fixed };
  return { session, summarizer, target };
}

/** A summarizer without a model. */
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
