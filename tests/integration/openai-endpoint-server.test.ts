import OpenAI from 'openai';
import { beforeAll, expect, it } from 'vitest';
import { useScriptedServer } from '#tests/support/scripted-server';

let openai: OpenAI;
const server = useScriptedServer(({ messages }) =>
  JSON.stringify(messages).includes('Wait') ? { silentAfter: ['First ', 'words '] } : { text: 'Clay first.' },
);
beforeAll(() => {
  openai = new OpenAI({ apiKey: 'any', baseURL: `${server.url}/v1`, maxRetries: 0 });
});

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user' as const, content: 'What comes first?' }] };

it('the built server answers at /v1, and logs it', async () => {
  const { data, response } = await openai.chat.completions.create(request).withResponse();
  expect(data.choices[0]?.message.content).toBe('Clay first.');
  expect(response.headers.get('x-throughline-summary')).toBe('none');
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  expect(await openai.models.retrieve('openai/gpt-4o')).toMatchObject({ id: 'openai/gpt-4o' });
  const listed = await openai.models.list();
  expect(listed.data.map(({ id }) => id)).toContain('throughline/offline');
});

it('streams the words as they come, and ends the call of the provider with its client', async () => {
  const messages = [{ role: 'user' as const, content: 'Wait for me.' }];
  const stream = await openai.chat.completions.create({ ...request, messages, stream: true });
  let text = '';
  for await (const { choices } of stream) {
    text += choices[0]?.delta.content ?? '';
    // The provider holds the rest back: what is here was not collected first.
    if (text === 'First words ') break;
  }
  expect(text).toBe('First words ');
  const closed = await server.provider.waitForRequest(({ state }) => state === 'client-closed');
  expect(closed.sentText).toBe('First words ');
});
