import type { NewMessage } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import type { ContextManager } from '#server/context/context-manager';
import type { ContextRequest, Summarizer } from '#server/context/ports';
import type { Services } from '#server/services';
import { StoredSession } from '#server/conversation/store/stored-session';
import { withTokens } from '#server/context/part-tokens';
import { call, result, text } from '#tests/support/arbitrary-history';
import { engineWith } from '#tests/support/small-engine';
import { startTestServices } from '#tests/support/test-services';

export interface ContextSession extends AsyncDisposable {
  readonly services: Services;
  readonly session: Session;
  readonly manager: ContextManager;
  /** The session for a model with a window of 16,000 tokens, and no summarizer. */
  readonly request: ContextRequest;
  /** Everything that is stored of the session, to compare before and after. */
  everything(): Promise<unknown>;
}

/**
 * A session in a real database with the given messages, and a manager over it.
 * @param change replaces methods of the session that the manager gets, for a failure or a pause
 */
export async function startContextSession(
  messages: readonly NewMessage[],
  change: (session: StoredSession) => Partial<StoredSession> = () => ({}),
): Promise<ContextSession> {
  const services = await startTestServices();
  const session = await services.sessions.create({ ownerId: 'own_local' });
  const counted = messages.map((message) => ({ ...message, parts: message.parts.map(withTokens) }));
  await services.messages.appendMany(session.id, counted);
  const stored = new StoredSession({ ...services, preferences: services.wishes }, session.id);
  return {
    services,
    session,
    manager: engineWith(),
    request: {
      session: Object.assign(stored, change(stored)),
      summarizer: null,
      target: {
        modelId: 'openai/gpt-4o',
        contextWindow: 16_000,
        maxOutputTokens: 4_000,
        warning: null,
        tokenFactor: 1,
        fixed: { instructions: 300, tools: 1_200 },
      },
    },
    everything: async () => (await services.messages.list(session.id, { limit: 1_000 })).items,
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

/** Turns that each read something of about `outputTokens` and talk about it for about `talkTokens`. */
export function turns(count: number, outputTokens: number, talkTokens = 5): NewMessage[] {
  return Array.from({ length: count }, (_, turn): NewMessage[] => [
    { role: 'user', parts: [text(`Request ${turn}`)] },
    { role: 'assistant', parts: [call(`c${turn}`)] },
    { role: 'tool', parts: [result(`c${turn}`, 'output '.repeat(outputTokens))] },
    { role: 'assistant', parts: [text(`Answer ${turn} ${'talk '.repeat(talkTokens)}`)] },
  ]).flat();
}

const NARRATIVE = ['What Was Accomplished', 'Current State', 'What Comes Next', 'Technical Context']
  .map((heading) => `### ${heading}\nThe ${heading.toLowerCase()} is told here.`)
  .join('\n\n');

/** A summarizer that answers when the test releases it. */
export function heldSummarizer() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Awaited<ReturnType<Summarizer['summarize']>>>();
  const summarizer: Summarizer = {
    modelId: 'test/summarizer',
    inputTokens: 10_000,
    summarize({ signal }) {
      asked.resolve();
      signal?.addEventListener('abort', () => answer.reject(signal.reason));
      return answer.promise;
    },
    prune: () => Promise.reject(new Error('No strategy of these tests asks for it.')),
  };
  const finish = () => answer.resolve({ text: NARRATIVE, finishReason: 'stop', usage: null });
  return { summarizer, asked: asked.promise, finish };
}
