import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { vi } from 'vitest';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { NewMessage } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import type { ContextRequest, Summarizer } from '#server/context/ports';
import type { Services } from '#server/services';
import { StoredSession } from '#server/conversation/store/stored-session';
import { text } from '#tests/support/arbitrary-history';
import { turns } from '#tests/support/context-session';
import { SUMMARIZER, TOLD, counted, requestFor as requestOf, summarizerOf } from '#tests/support/small-engine';
import { startTestServices } from '#tests/support/test-services';

export { SUMMARIZER, TOLD, counted, engineWith, summarizerOf } from '#tests/support/small-engine';

const ENV = { CONTEXT_WINDOW: '16000', COMPACTION_MODEL: SUMMARIZER };

/** A request. */
export const user = (value: string): NewMessage => ({ role: 'user', parts: [text(value)] });

/** A conversation that no pruning can bring below usable in a window of 16,000. */
export const TALL = [...turns(14, 100, 900), user('The newest request')];

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
  const askedAgain = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  let calls = 0;
  const model = summaryModel(({ abortSignal }) => {
    calls += 1;
    (calls === 1 ? asked : askedAgain).resolve();
    abortSignal?.addEventListener('abort', () => answer.reject(abortSignal.reason as Error));
    return answer.promise;
  });
  return {
    model,
    asked: asked.promise,
    askedAgain: askedAgain.promise,
    finish: () => answer.resolve(TOLD),
    calls: () => calls,
  };
}

/** Resolves when a caller waits for the end of a compaction: it has requested it again and found it still running. */
export function waitsForCompaction({ compactions }: Services): Promise<void> {
  const waits = Promise.withResolvers<void>();
  const countBusy = (isBusy: (answer: boolean) => boolean) => {
    let times = 0;
    return async (answer: Promise<boolean>) => {
      if (isBusy(await answer)) times += 1;
      if (times === 2) waits.resolve();
      return answer;
    };
  };
  const [asking, taking] = [countBusy((isCompacting) => isCompacting), countBusy((isTaken) => !isTaken)];
  const real = { ...compactions };
  vi.spyOn(compactions, 'isCompacting').mockImplementation((id) => asking(real.isCompacting(id)));
  vi.spyOn(compactions, 'acquire').mockImplementation((id, lease) => taking(real.acquire(id, lease)));
  return waits.promise;
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

/** The request for a stored session, for a model with a window of 16,000 tokens. */
export const requestFor = (services: Services, { id }: Session, summarizer: Summarizer | null): ContextRequest =>
  requestOf(new StoredSession({ ...services, preferences: services.wishes }, id), summarizer);

/** A summarizer whose summaries tell the how many-th they are. */
export function countingSummarizer() {
  let count = 0;
  const summarizer = summarizerOf(() => {
    count += 1;
    return Promise.resolve(`${TOLD}\nTold for the time ${count}.`);
  });
  return { summarizer, calls: () => count };
}
