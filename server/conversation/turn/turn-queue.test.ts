import type { UIMessageChunk } from 'ai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SessionEvent } from '#server/core/conversation/events';
import { sessions } from '#server/platform/database/schema/sessions';
import { createTestDatabase } from '#tests/support/test-database';
import { foldTurn, type ScriptedChat, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { heldStep, says, textBlock, toolCall } from '#tests/support/scripted-model';

const listPages = toolCall('c1', 'list_content', '{"type":"page"}');
const heldAnswer = () => heldStep(...textBlock('t', 'First answer'));

function textsOf(message: { parts: readonly { content: unknown }[] } | undefined): unknown[] {
  return (message?.parts ?? []).map(({ content }) => (content as { text?: string }).text);
}

afterEach(() => vi.restoreAllMocks());

async function eventsOf({ services, session }: ScriptedChat): Promise<SessionEvent[]> {
  await services.events.flush();
  const found: SessionEvent[] = [];
  const reader = services.events.follow(session.id, 0).getReader();
  const newest = await services.events.newestId(session.id);
  while ((found.at(-1)?.id ?? 0) < newest) found.push((await reader.read()).value!);
  await reader.cancel();
  return found;
}

describe('messages that come while a turn runs', () => {
  it('join it between two steps as one message, live and after a reload', async () => {
    const held = heldStep(...listPages);
    await using chat = await startScriptedChat([held.step, says('Both seen to.')]);
    const outcome = await chat.send('List the pages');
    await held.said;
    expect(await chat.enqueue('Only drafts')).toMatchObject({ queued: true, position: 1 });
    const second = await chat.enqueue('Newest first');
    expect(second).toMatchObject({ queued: true, position: 2 });
    expect((await chat.services.chat.queue(chat.session.id)).items.at(-1)?.id).toBe(second.id);
    held.end();
    if (outcome.kind !== 'started') throw new Error('It was queued.');
    const { message } = await foldTurn(outcome.stream);

    const stored = await chat.messages();
    expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(textsOf(stored[3])).toEqual(['First: Only drafts\n\nAlso: Newest first']);
    expect(stored[3]?.metadata).toMatchObject({ coalesced: true, messageCount: 2 });
    expect(chat.requests[1]?.prompt.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'First: Only drafts\n\nAlso: Newest first' }],
    });
    expect(message.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-list_content',
      'steering-message',
      'step-start',
      'text',
    ]);
    expect(message.parts[2]).toMatchObject({
      id: stored[3]?.id,
      parts: [{ providerMetadata: { throughline: { messageCount: 2 } } }],
    });
    const reloaded = await chat.services.transcript(chat.session.id);
    expect(reloaded).toHaveLength(2);
    expect(visibleParts(reloaded[1]!)).toEqual(visibleParts(message));
    expect(reloaded[1]?.id).toBe(message.id);
    expect(await chat.services.chat.queue(chat.session.id)).toEqual({ items: [], held: false });
  });

  it('keep waiting after their site was disconnected, without a model request', async () => {
    const held = heldAnswer();
    await using db = await createTestDatabase();
    await using chat = await startScriptedChat([held.step, says('Never')], { DATABASE_URL: db.url });
    await chat.send('One');
    await held.said;
    const { id } = await chat.enqueue('Two');
    await db.write((tx) => tx.update(sessions).set({ siteId: 'wps_01h0000000000000000000000a' }));
    held.end();
    await chat.services.chat.idle();
    chat.services.chat.startWaiting(chat.session.id);
    await chat.services.chat.idle();
    expect((await chat.services.chat.queue(chat.session.id)).items.map((item) => item.id)).toEqual([id]);
    expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(chat.requests).toHaveLength(1);
  });

  it('are reported to every follower, each change of the queue, in order', async () => {
    const held = heldAnswer();
    await using chat = await startScriptedChat([held.step, says('Second answer')]);
    const outcome = await chat.send('One');
    await held.said;
    const { id } = await chat.enqueue('Two');
    await chat.services.events.flush();
    held.end();
    const chunks: UIMessageChunk[] = [];
    if (outcome.kind === 'started') for await (const chunk of outcome.stream) chunks.push(chunk);
    await chat.services.chat.idle();

    expect(chunks.flatMap((chunk) => (chunk.type === 'data-queue' ? [chunk.data] : []))).toMatchObject([
      { items: [{ id, text: 'Two' }], held: false },
    ]);
    const events = (await eventsOf(chat)).filter(({ name }) => name !== 'context:usage');
    expect(events.map(({ name }) => name)).toEqual([
      'turn:start',
      'message:queued',
      'queue:changed',
      'turn:end',
      'turn:start',
      'message:dequeued',
      'queue:changed',
      'turn:end',
    ]);
    expect(events[1]?.data).toEqual({ id, position: 1 });
    expect(events[5]?.data).toEqual({ count: 1, ids: [id], coalesced: false });
    expect(events.at(-1)?.data).toMatchObject({ status: 'completed', error: null });
    expect(events.filter(({ name }) => name === 'queue:changed').at(-1)?.data).toEqual({ items: [], held: false });
  });
});
