import { describe, expect, it } from 'vitest';
import { answerText, say } from '#tests/support/chat-client';
import { startLoopback } from '#tests/support/loopback-server';
import { startTestServices } from '#tests/support/test-services';

describe('requests to a model', () => {
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
