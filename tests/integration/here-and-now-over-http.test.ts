import { expect, it } from 'vitest';
import { z } from 'zod';
import { changePageSchema } from '#server/core/site/site-lists';
import { messageSchema } from '#server/core/conversation/messages';
import { sessionSchema } from '#server/core/conversation/sessions';
import { pageOf } from '#server/core/shapes';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import type { ParsedRequest } from '#tests/support/request-log';
import { said } from '#tests/support/said';
import { useScriptedServer } from '#tests/support/scripted-server';

/** The texts of the newest user message, as the provider gets them. */
function heard({ messages }: ParsedRequest | undefined = { messages: [] } as unknown as ParsedRequest): string[] {
  const content: unknown = messages.findLast(({ role }) => role === 'user')?.content;
  const parts = z.array(z.looseObject({ text: z.string() })).safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text) : [String(content)];
}

const SCRIPT: FakeResponse[] = [
  { toolCalls: [{ id: 'c1', name: 'create_content', input: { type: 'page', title: 'Rye bread' } }] },
  { text: 'There it is.' },
  { text: 'I see.' },
  { text: 'Nothing new.' },
];
const server = useScriptedServer((_, index) => SCRIPT[index] ?? { text: 'Done.' });

it('a browser’s messages carry the current state; an undo by REST is reported once', async () => {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await server.send(method, path, body);
    expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(300);
    return answer;
  };
  const { id } = sessionSchema.parse((await send('POST', '/api/sessions', {})).json());
  const here = { preview: { path: '/', state: 'draft' }, zone: 'Europe/Berlin' };
  const say = (text: string) => send('POST', '/api/chat', { id, message: said(text), here });

  await say('Make a page about rye');
  const [first, words] = heard(server.provider.requests[0]);
  expect(words).toBe('Make a page about rye');
  expect(first).toMatch(/^<situation>\n[^]*\(Europe\/Berlin\)\nSite: "[^]*Open in the preview: \/ [^]*<\/situation>$/);

  const changes = changePageSchema.parse((await send('GET', `/api/content/changes?sessionId=${id}`)).json());
  await send('POST', '/api/content/undo', { changeId: changes.items[0]!.id, sessionId: id });
  await say('And now?');
  expect(heard(server.provider.requests[2])[0]).toMatch(
    /Changed by others since you last looked:\n- pag_\w+: [^\n]*Rye bread/,
  );
  expect(heard(server.provider.requests[2])[0]).not.toContain('Site:');
  await say('And now?');
  expect(heard(server.provider.requests[3])[0]).not.toContain('Changed by others');

  const stored = pageOf(messageSchema).parse((await send('GET', `/api/sessions/${id}/messages`)).json());
  expect(stored.items[0]?.parts.map(({ type }) => type)).toEqual(['text', 'situation']);
  const shown = (await send('GET', `/api/sessions/${id}/messages?format=ui`)).text;
  expect(shown).toContain('Make a page about rye');
  for (const answer of [shown, (await send('GET', `/api/sessions/${id}/search?q=preview`)).text]) {
    expect(answer).not.toContain('Open in the preview');
  }
  const refused = await server.send('POST', '/api/chat', { id, message: said('Hi'), here: { zone: 'Mars/Olympus' } });
  expect(refused.status).toBe(400);
});
