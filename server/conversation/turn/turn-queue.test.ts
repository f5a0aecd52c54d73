import { afterEach, describe, expect, it, vi } from 'vitest';
import { sessions } from '#server/platform/database/schema/sessions';
import { createTestDatabase } from '#tests/support/test-database';
import { foldTurn, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { heldStep, says, textBlock, toolCall } from '#tests/support/scripted-model';

const listPages = toolCall('c1', 'list_content', '{"type":"page"}');
const heldAnswer = () => heldStep(...textBlock('t', 'First answer'));

function textsOf(message: { parts: readonly { content: unknown }[] } | undefined): unknown[] {
  return (message?.parts ?? []).map(({ content }) => (content as { text?: string }).text);
}

afterEach(() => vi.restoreAllMocks());

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
});
