import { expect, it } from 'vitest';
import { companyGateway } from '#examples/provider/company-gateway';
import { answerText, say } from '#tests/support/chat-client';
import { type FakeOpenRouter, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { startTestServices } from '#tests/support/test-services';

function configured({ baseUrl }: FakeOpenRouter, key: string) {
  const provider = companyGateway({ GATEWAY_URL: baseUrl, GATEWAY_KEY: key, GATEWAY_TEAM: 'press' });
  return provider === null ? [] : [provider];
}

it('answers with its own header, under its own id and inside its own window', async () => {
  const call = { id: 'call_1', name: 'list_content', input: { type: 'page' } };
  await using gateway = await startFakeOpenRouter({
    respond: (_, index) => (index === 0 ? { toolCalls: [call] } : { text: 'There are no pages yet.' }),
  });
  await using services = await startTestServices({}, { providers: configured(gateway, 'secret') });

  expect(services.models.list().filter(({ provider: name }) => name === 'gateway')).toMatchObject([
    { id: 'gateway/small', contextWindow: 32_000, known: true },
    { id: 'gateway/large', contextWindow: 200_000, acceptsImages: true },
  ]);
  expect(() => services.models.resolve('gateway/other')).toThrow(/gateway\/other/);

  const session = await services.sessions.create({ ownerId: 'own_local', modelId: 'gateway/small' });
  expect(answerText(await say(services, session.id, 'Which pages are there?'))).toBe('There are no pages yet.');

  const [first, second] = gateway.requests;
  expect(first?.headers).toMatchObject({ 'api-key': 'secret', 'x-team': 'press' });
  expect(first?.body).toMatchObject({ model: 'small', stream: true });
  expect(second?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
});

it('reports the reason of a refusal, and keeps the message', async () => {
  const refusal = { error: { status: 401, message: 'Unknown key.' } };
  await using gateway = await startFakeOpenRouter({ respond: () => refusal });
  await using services = await startTestServices({}, { providers: configured(gateway, 'wrong') });
  const session = await services.sessions.create({ ownerId: 'own_local', modelId: 'gateway/small' });
  await expect(say(services, session.id, 'Which pages are there?')).rejects.toThrow(/does not accept the API key/);
  expect((await services.messages.list(session.id, { limit: 10 })).items[0]).toMatchObject({ role: 'user' });
});

it('does not exist without its environment variables', () => {
  expect(companyGateway({ GATEWAY_URL: 'https://models.example.com/v1' })).toBeNull();
});
