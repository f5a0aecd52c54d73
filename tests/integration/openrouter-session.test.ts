import { describe, expect, it } from 'vitest';
import { SUMMARY_LABEL } from '#server/core/conversation/labels';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { answerText, say } from '#tests/support/chat-client';
import { editingRequests, replay, siteContent } from '#tests/support/editing-requests';
import { type FakeOpenRouterOptions, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { respondWithModel } from '#tests/support/respond-with-model';
import { startTestServices } from '#tests/support/test-services';
import { findWireSequenceProblems } from '#tests/support/validate-model-messages';
import { isSummaryRequest } from '#tests/support/summary-requests';

const MODEL = 'anthropic/claude-sonnet-4.5';
const think = respondWithModel(createOfflineModel());

function scriptedSummary(round: number): string {
  return [
    '### Original Task\nBuild out the pottery site.',
    `### What Was Accomplished\nWork of round ${round}, told by the summarizer (marker-${round}).`,
    '### Current State\nDrafts are open.',
    '### What Comes Next\nMore of the same.',
  ].join('\n\n');
}

/** The basic assistant over OpenRouter's wire format, with a summarizer that signs its rounds. */
function brain(): FakeOpenRouterOptions['respond'] {
  let rounds = 0;
  return (request, index) => {
    if (!isSummaryRequest(request)) return think(request, index);
    rounds += 1;
    return { text: scriptedSummary(rounds) };
  };
}

function openRouterEnv(baseUrl: string) {
  return { OPENROUTER_API_KEY: 'test-key', OPENROUTER_BASE_URL: baseUrl, DEFAULT_MODEL: MODEL };
}

describe('a session through OpenRouter', () => {
  it('is compacted by the model: every summary is asked for and its text is in the next request', async () => {
    await using provider = await startFakeOpenRouter({ respond: brain() });
    const env = {
      ...openRouterEnv(provider.baseUrl),
      CONTEXT_WINDOW: '16000',
      // A summary prepared ahead is not directly followed by the request that uses it.
      CONTEXT_BACKGROUND_SUMMARIES: 'false',
    };
    await using services = await startTestServices(env);
    await using replayed = await startTestServices();
    const session = await services.sessions.create({ ownerId: 'own_local' });
    const requests = editingRequests(60, 11);
    for (const request of requests) {
      await say(services, session.id, request.text);
      await replay(request, replayed.builtIn.content, { actor: 'user', sessionId: 'replay' });
    }
    const first = await say(services, session.id, 'What did I ask first?');

    const { usage } = await services.context.inspect(session);
    const summaries = provider.requests.filter(isSummaryRequest);
    expect(summaries.length).toBeGreaterThanOrEqual(2);
    for (const [index, summary] of summaries.entries()) {
      const next = provider.requests[summary.index + 1];
      expect(JSON.stringify(next?.messages)).toContain(`marker-${index + 1}`);
      expect(JSON.stringify(next?.messages)).toContain(SUMMARY_LABEL);
    }
    for (const request of provider.requests) {
      expect(findWireSequenceProblems(request.messages)).toEqual([]);
    }
    const steps = (await services.messages.list(session.id, { limit: 1_000 })).items.filter((message) => message.usage);
    expect(steps.length).toBeGreaterThan(90);
    // What fits is decided before the provider has counted: our promise is to be less than 1 % off.
    const most = usage.usableTokens * 1.01;
    for (const { usage: reported } of steps) expect(reported?.inputTokens).toBeLessThan(most);
    expect(await siteContent(services.builtIn.content)).toEqual(await siteContent(replayed.builtIn.content));
    expect(answerText(first)).toContain('Opening Hours');
  });
});
