import { withTokens } from '#server/context/part-tokens';
import type { Session } from '#server/core/conversation/sessions';
import type { Services } from '#server/services';
import {
  type FakeOpenRouter,
  type FakeOpenRouterOptions,
  type FakeResponse,
  startFakeOpenRouter,
} from '#tests/support/fake-openrouter';
import type { RecordedRequest } from '#tests/support/request-log';
import { isSummaryRequest } from '#tests/support/summary-requests';
import { startTestServices } from '#tests/support/test-services';

export interface OpenRouterChat extends AsyncDisposable {
  readonly provider: FakeOpenRouter;
  readonly services: Services;
  readonly session: Session;
  /** The requests for an answer, summaries left out. */
  steps(): RecordedRequest[];
}

/** A summary that passes every check. */
export const summaryText = [
  '### Original Task\nBuild out the pottery site.',
  '### What Was Accomplished\nAs told by the summarizer.',
  '### Current State\nDrafts are open.',
  '### What Comes Next\nMore of the same.',
].join('\n\n');

/**
 * A whole server whose model uses OpenRouter's wire format, in a window of 16,000 tokens: 12,000 are usable, a stream
 * is cut at 14,400. Summaries are written immediately; background ones only if `env` enables them. A `local/` model
 * uses the same wire as an OpenAI-compatible server, which the SDK reads differently.
 */
export async function startOpenRouterChat(
  answer: FakeOpenRouterOptions['respond'] | readonly FakeResponse[],
  { model = 'openai/gpt-4o', env = {} }: { model?: string; env?: Record<string, string> } = {},
): Promise<OpenRouterChat> {
  let count = 0;
  const next = (): FakeResponse => {
    const scripted = typeof answer === 'function' ? undefined : answer[count];
    count += 1;
    if (!scripted) throw new Error('The script has no more answers.');
    return scripted;
  };
  const provider = await startFakeOpenRouter({
    respond: (request, index) => {
      if (typeof answer === 'function') return answer(request, index);
      return isSummaryRequest(request) ? { text: summaryText } : next();
    },
  });
  const services = await startTestServices({
    OPENROUTER_API_KEY: 'test-key',
    OPENROUTER_BASE_URL: provider.baseUrl,
    ...(model.startsWith('local/') && { OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl }),
    DEFAULT_MODEL: model,
    CONTEXT_WINDOW: '16000',
    CONTEXT_BACKGROUND_SUMMARIES: 'false',
    ...env,
  });
  const session = await services.sessions.create({ ownerId: 'own_local' });
  return {
    provider,
    services,
    session,
    steps: () => provider.requests.filter((request) => !isSummaryRequest(request)),
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      await provider.close();
    },
  };
}

/** Stores turns that were only talk, about `tokens` in all, without asking any model. */
export async function talkBefore(
  { services, session }: Pick<OpenRouterChat, 'services' | 'session'>,
  tokens: number,
  turns = 8,
): Promise<void> {
  const said = (role: 'user' | 'assistant', text: string) => ({
    role,
    parts: [withTokens({ type: 'text', content: { text } })],
  });
  const talk = Array.from({ length: turns }, (_, turn) => [
    said('user', `Request ${turn}`),
    said('assistant', `Answer ${turn} ${'talk '.repeat(Math.floor(tokens / turns))}`),
  ]);
  await services.messages.appendMany(session.id, talk.flat());
}
