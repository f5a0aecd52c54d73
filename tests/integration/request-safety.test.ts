import { describe, expect, it } from 'vitest';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { answerText, say } from '#tests/support/chat-client';
import { editingRequests } from '#tests/support/editing-requests';
import { startLoopback } from '#tests/support/loopback-server';
import { recordCalls } from '#tests/support/recording-model';
import { startTestServices } from '#tests/support/test-services';

describe('requests to a model', () => {
  it('stays under budget when the instructions grow after the last report', async () => {
    const { model, calls } = recordCalls(createOfflineModel());
    const overrides = { models: { [OFFLINE_MODEL_ID]: model } };
    await using services = await startTestServices({ CONTEXT_WINDOW: '16000' }, overrides);
    const session = await services.sessions.create({ ownerId: 'own_local' });
    for (const { text } of editingRequests(20, 5)) await say(services, session.id, text);
    const rules = Array.from({ length: 800 }, (_, index) => `Rule ${index}: be kind to clay.`).join(' ');
    await services.context.import(await services.sessions.get(session.id), [{ role: 'system', content: rules }]);

    const { usage } = await services.context.inspect(await services.sessions.get(session.id));
    const sum = Object.values(usage.breakdown).reduce((total, tokens) => total + tokens, 0);
    expect(usage.currentTokens).toBeGreaterThan(sum * 0.9);
    await say(services, session.id, 'List the pages');
    expect(calls.at(-1)?.tokens).toBeLessThanOrEqual(usage.usableTokens);
  });

  it('never fetches an address written by a user, and a dead one ends no turn', async () => {
    const hits: string[] = [];
    await using server = await startLoopback((request, response) => {
      hits.push(request.url ?? '');
      response.end();
    });
    await using services = await startTestServices();
    const session = await services.sessions.create({ ownerId: 'own_local' });
    for (const image of [`${server.url}/secret.png`, 'https://no-such-host.invalid/x.png']) {
      await services.context.import(session, [{ role: 'user', content: [{ type: 'image', image }] }]);
    }
    const answer = await say(services, session.id, 'List the pages');
    expect(answerText(answer)).toContain('pages');
    expect(hits).toEqual([]);
  });
});
