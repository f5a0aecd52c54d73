import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compactionSchema } from '#server/core/conversation/compactions';
import { preferenceSchema } from '#server/core/conversation/preferences';
import { messageSchema } from '#server/core/conversation/messages';
import { sessionSchema } from '#server/core/conversation/sessions';
import { importedSchema } from '#server/core/conversation/session-export';
import type { Services } from '#server/services';
import { undoableSchema } from '#server/core/site/site-lists';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';

const idSchema = z.object({ id: z.string() });

let services: Services;
beforeAll(async () => {
  services = await serve(startTestServices({ CONTEXT_WINDOW: '16000' }));
});
afterAll(stopServing);

async function send(method: string, path: string, body?: object, status = 200) {
  const answer = await callRoute(method, path, { body });
  const text = await answer.text();
  expect(answer.status, `${method} ${path}: ${text.slice(0, 400)}`).toBe(status);
  return { text, headers: answer.headers, json: (): unknown => JSON.parse(text) };
}

async function create(title: string): Promise<string> {
  return idSchema.parse((await send('POST', '/api/sessions', { title }, 201)).json()).id;
}

/** A turn, to its end. */
async function ask(sessionId: string, text: string): Promise<void> {
  const message = { role: 'user', parts: [{ type: 'text', text }] };
  const answer = await send('POST', '/api/chat', { id: sessionId, message });
  expect(answer.text).toContain('[DONE]');
}

const exported = z.strictObject({
  format: z.literal('throughline/1'),
  session: sessionSchema,
  messages: z.array(messageSchema),
  compactions: z.array(compactionSchema),
  wishes: z.array(preferenceSchema),
});
const exportJson = async (id: string) =>
  exported.parse((await send('GET', `/api/sessions/${id}/export?format=json`)).json());

/** What was said and called, without anything that a new session has its own of. */
const said = (messages: z.infer<typeof messageSchema>[]) =>
  messages
    .filter(({ isSummary }) => !isSummary)
    .map(({ role, parts }) => [
      role,
      parts
        .filter(({ type }) => type !== 'situation')
        .map(({ type, content }) => ({ type, content: { ...content, seen: undefined } })),
    ]);

describe('a conversation as JSON', () => {
  it('is imported completely, with title, preferences, and a note on omissions', async () => {
    const id = await create('Spring');
    await ask(id, 'List the pages. Never use exclamation marks.');
    const request = (await exportJson(id)).messages.find(({ role }) => role === 'user')!;
    await services.wishes.keepWishes(id, [{ quote: 'Never use exclamation marks.', messageId: request.id }]);
    const first = await exportJson(id);
    expect(first.wishes).not.toEqual([]);
    const file = { ...first, session: { ...first.session, instructions: 'Be brief.' } };

    const again = idSchema.parse((await send('POST', '/api/sessions', {}, 201)).json()).id;
    const strange = { ...first.wishes[0]!, quote: 'Words that nobody said' };
    const body = { ...file, wishes: [...first.wishes, strange], compactions: [{ id: 'cmp_1' }] };
    const answer = importedSchema.parse((await send('POST', `/api/sessions/${again}/import`, body, 201)).json());
    expect(answer).toMatchObject({
      wishes: first.wishes.length,
      notes: [
        'Compactions are not taken over (1): this conversation is summarized anew when it has to be.',
        'Wishes that no message of the user says, or that there is no room for, are not kept (1).',
      ],
    });
    const second = await exportJson(again);
    expect(said(second.messages)).toEqual(said(first.messages));
    expect(second.session).toMatchObject({ title: 'Spring', instructions: 'Be brief.' });
    expect(second.wishes.map(({ quote }) => quote)).toEqual(first.wishes.map(({ quote }) => quote));
    expect(second.messages.map(({ id: messageId }) => messageId)).toContain(second.wishes[0]!.messageId);

    const named = await create('Mine');
    await send('POST', `/api/sessions/${named}/import`, file, 201);
    expect((await exportJson(named)).session.title).toBe('Mine');
  });

  it('holds a long conversation whole, in order, and its import is no summary', async () => {
    const id = await create('Long');
    const talk = Array.from({ length: 450 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `Note ${index} ${'about glazes '.repeat(12)}`,
    }));
    await send('POST', `/api/sessions/${id}/import`, { messages: talk }, 201);
    await send('POST', `/api/sessions/${id}/compact`, { strategy: 'ledger' });
    const { messages, compactions } = await exportJson(id);
    expect(compactions).toMatchObject([{ status: 'completed', strategy: 'ledger' }]);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
    expect(messages.filter(({ isSummary }) => isSummary)).toHaveLength(1);

    const again = await create('Long again');
    await send('POST', `/api/sessions/${again}/import`, { messages }, 201);
    const copy = (await exportJson(again)).messages;
    expect(copy).toHaveLength(450);
    expect(said(copy)).toEqual(said(messages));
  });
});

describe('a conversation as Markdown', () => {
  it('lists messages with author and time, changes, and summaries', async () => {
    const id = await create('Autumn: kilns');
    await ask(id, 'Create a page called Kiln repair');
    await send('POST', `/api/sessions/${id}/import`, { messages: [{ role: 'user', content: 'Never closed:\n```html\n<p>' }] }, 201); // oxfmt-ignore
    const filler = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `Note ${index} ${'about clay '.repeat(40)}`,
    }));
    await send('POST', `/api/sessions/${id}/import`, { messages: filler }, 201);
    await send('POST', `/api/sessions/${id}/compact`, { strategy: 'ledger' });
    await ask(id, 'List the pages');
    const answer = await send('GET', `/api/sessions/${id}/export`);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const { text } = answer;
    expect(text.startsWith('# Autumn: kilns\n')).toBe(true);
    expect(text).toMatch(/^## You · \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
    expect(text).toMatch(/^## Assistant \(throughline\/offline\) · /m);
    expect(text).toMatch(/^- Created the page Kiln repair$/m);
    expect(text).toContain('<details><summary>Input and result</summary>');
    expect(text).toMatch(/^> Older messages summarized\. Nothing deleted\.$/m);
    expect(text).toContain('Never closed:\n```html\n<p>\n```\n');
    const places = ['Create a page called Kiln repair', 'Created the page', 'Note 39', 'Older messages summarized.', 'List the pages']; // oxfmt-ignore
    const positions = places.map((place) => text.indexOf(place));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(positions[0]).toBeGreaterThan(0);
  });

  it.each([
    ['Spring', 'filename="Spring.md"'],
    ['../../etc/passwd', 'filename="etc passwd.md"'],
    ['a"b\\c: d?', 'filename="a b c d.md"'],
    ['Öfen für 陶芸', 'filename="Ofen fur __.md"; filename*=UTF-8\'\'%C3%96fen%20f%C3%BCr%20%E9%99%B6%E8%8A%B8.md'],
    ['...', 'filename="conversation.md"'],
    ['x'.repeat(200), `filename="${'x'.repeat(80)}.md"`],
  ])('of the title %j is saved under a safe name', async (title, name) => {
    const answer = await send('GET', `/api/sessions/${await create(title)}/export?format=markdown`);
    const disposition = answer.headers.get('content-disposition') ?? '';
    expect(disposition.startsWith('attachment; ')).toBe(true);
    expect(disposition).toContain(name);
  });
});

describe('the preview of an undo', () => {
  const undoable = async (id: string) =>
    undoableSchema.parse((await send('GET', `/api/sessions/${id}/undoable`)).json());

  it('is the newest change of the site or compaction that stands, whichever is later', async () => {
    const id = await create('Undoing');
    expect(await undoable(id)).toEqual({ kind: null });
    await ask(id, 'Create a page called Firing days');
    const change = await undoable(id);
    expect(change).toMatchObject({ kind: 'change', summary: expect.stringContaining('Firing days') as string });

    const filler = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `Note ${index} ${'about clay '.repeat(40)}`,
    }));
    await send('POST', `/api/sessions/${id}/import`, { messages: filler }, 201);
    await send('POST', `/api/sessions/${id}/compact`, { strategy: 'ledger' });
    const compaction = await undoable(id);
    expect(compaction).toMatchObject({ kind: 'compaction', summary: expect.stringMatching(/^Summarized \d+ messages/) as string }); // oxfmt-ignore

    await send('POST', `/api/sessions/${id}/compactions/${compaction.kind === null ? '' : compaction.id}/undo`);
    expect(await undoable(id)).toEqual(change);
    await send('POST', '/api/content/undo', { sessionId: id });
    expect(await undoable(id)).toEqual({ kind: null });
  });

  it('is never a change of another session', async () => {
    const [id, other] = [await create('One'), await create('Other')];
    await ask(id, 'Create a page called Wheel throwing');
    expect(await undoable(other)).toEqual({ kind: null });
  });
});
