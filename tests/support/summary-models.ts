import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { CompactionRecord } from '#server/core/compactions';
import type { NewMessage, Session } from '#server/core/messages';
import { ContextManager } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/context-request';
import { type ContextSettings, defaultSettings } from '#server/context/context-settings';
import { withTokens } from '#server/context/part-tokens';
import type { Summarizer, SummaryAnswer } from '#server/context/ports';
import type { Services } from '#server/services';
import { createContextStore } from '#server/store/context-store';
import { text } from '#tests/support/arbitrary-history';
import { turns } from '#tests/support/context-session';
import { startTestServices } from '#tests/support/test-services';

/** The id of the model that writes the summaries. */
export const SUMMARIZER = 'test/summarizer';
const ENV = { CONTEXT_WINDOW: '16000', COMPACTION_MODEL: SUMMARIZER };

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

/** A request. */
export const user = (value: string): NewMessage => ({ role: 'user', parts: [text(value)] });

/** A conversation that no pruning can bring below usable in a window of 16,000. */
const TALL = [...turns(14, 100, 900), user('The newest request')];

/** A model that writes summaries as the test says. */
export function summaryModel(answer: (options: LanguageModelV4CallOptions) => Promise<string>): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: SUMMARIZER,
    supportedUrls: {},
    doGenerate: async (options) => ({
      content: [{ type: 'text', text: await answer(options) }],
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 700, noCache: 700, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 50, text: 50, reasoning: 0 },
      },
      warnings: [],
    }),
    doStream: () => Promise.reject(new Error('Summaries are not streamed.')),
  };
}

/** A summarizer that answers when the test lets it, or fails when it is aborted. */
export function heldModel() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  let calls = 0;
  const model = summaryModel(({ abortSignal }) => {
    calls += 1;
    asked.resolve();
    abortSignal?.addEventListener('abort', () => answer.reject(abortSignal.reason as Error));
    return answer.promise;
  });
  return { model, asked: asked.promise, finish: () => answer.resolve(TOLD), calls: () => calls };
}

/** A whole server whose summaries are written by this model, and a session with these messages. */
export async function startSummarized(model: LanguageModelV4, messages: readonly NewMessage[] = TALL) {
  const services = await startTestServices(ENV, { models: { [SUMMARIZER]: model } });
  const session = await services.sessions.create({ ownerId: 'own_local' });
  await services.messages.appendMany(session.id, counted(messages));
  return { services, session, [Symbol.asyncDispose]: () => services[Symbol.asyncDispose]() };
}

/** What compactions there were, the newest first; prunes left out. */
export const rounds = async (services: Services, { id }: Session): Promise<CompactionRecord[]> =>
  (await services.compactions.list(id)).filter(({ strategy }) => strategy !== 'prune');

/** Everything that was said, without the marks and counts that the engine sets. */
export const stored = async (services: Services, { id }: Session) =>
  (await services.messages.list(id, { limit: 1_000 })).items.map(({ id: message, role, parts }) => ({
    message,
    role,
    contents: parts.map(({ content }) => content),
  }));

/** An engine of its own over the services' store: another process, or other settings. */
export function managerWith(changes: Partial<ContextSettings> = {}) {
  const settings = { ...defaultSettings, ...changes, exemptTools: new Set<string>() };
  return (services: Services) =>
    new ContextManager({
      store: createContextStore(services),
      ledger: () => Promise.resolve([]),
      settings: () => settings,
      now: Date.now,
    });
}

/** The session for a model with a window of 16,000 tokens. */
export function requestFor(session: Session, summarizer: Summarizer): ContextRequest {
  const fixed = { instructions: 300, tools: 1_200 };
  const limits = { contextWindow: 16_000, maxOutputTokens: 4_000 };
  const target = { modelId: 'openai/gpt-4o', ...limits, warning: null, tokenFactor: 1, fixed };
  return { sessionId: session.id, summarizer, target };
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

/** A summarizer whose summaries tell the how many-th they are. */
export function countingSummarizer() {
  let count = 0;
  const summarizer = summarizerOf(() => {
    count += 1;
    return Promise.resolve(`${TOLD}\nTold for the time ${count}.`);
  });
  return { summarizer, calls: () => count };
}
