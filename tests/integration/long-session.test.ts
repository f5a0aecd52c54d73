import { describe, expect, it } from 'vitest';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { answerText, say } from '#tests/support/chat-client';
import { editingRequests, replay, siteContent } from '#tests/support/editing-requests';
import { isDeep } from '#tests/support/deep';
import { recordCalls } from '#tests/support/recording-model';
import { startTestServices } from '#tests/support/test-services';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const WINDOW = '16000';
const REQUESTS = isDeep ? 150 : 60;

describe('a long editing session in a 16,000 token window', () => {
  it('runs to its end, compacts, keeps requests valid and in budget, and loses no change', async () => {
    const { model, calls } = recordCalls(createOfflineModel());
    await using services = await startTestServices(
      { CONTEXT_WINDOW: WINDOW },
      { models: { [OFFLINE_MODEL_ID]: model } },
    );
    await using replayed = await startTestServices();
    const session = await services.sessions.create({ ownerId: 'own_local' });
    const requests = editingRequests(REQUESTS, 7);

    for (const request of requests) {
      await say(services, session.id, request.text);
      await replay(request, replayed.builtIn.content, { actor: 'user', sessionId: 'replay' });
    }
    const first = await say(services, session.id, 'What did I ask first?');
    const rules = await say(services, session.id, 'What are my standing instructions?');

    const { usage } = await services.context.inspect(session);

    const { compactionCount } = await services.sessions.get(session.id);
    expect(compactionCount).toBeGreaterThanOrEqual(3);
    for (const { options, tokens } of calls) {
      expect(findSequenceProblems(options.prompt)).toEqual([]);
      expect(tokens).toBeLessThanOrEqual(usage.usableTokens);
    }
    expect(await siteContent(services.builtIn.content)).toEqual(await siteContent(replayed.builtIn.content));
    expect(answerText(first)).toContain(requests[0]?.text);
    expect(answerText(rules)).toContain('- Always use British spelling');
  });
});
