import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { errorBody } from '#tests/support/rest-client';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import {
  finish,
  hangingStep,
  heldStep,
  says,
  type ScriptedStep,
  textBlock,
  toolCall,
} from '#tests/support/scripted-model';

/* An unmodified `Chat` of the AI SDK, as `useChat` of another program uses it, against POST /api/chat. */

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

afterEach(stopServing);

/** A server whose model follows this script, and a chat that sends its requests there. */
async function startPage(steps: readonly ScriptedStep[], body: object = {}) {
  const server = await startScriptedChat(steps);
  await serve(Promise.resolve(server.services));
  const send = (address: string, init: RequestInit = {}) =>
    callRoute(init.method ?? 'GET', address, {
      ...(typeof init.body === 'string' && { body: init.body }),
      ...(init.signal && { signal: init.signal }),
    });
  const open = (fields?: object) => {
    const errors: string[] = [];
    const chat = new Chat({
      id: server.session.id,
      transport: new DefaultChatTransport({
        fetch: (address, init) => send(address as string, init),
        ...(fields && { body: fields }),
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onError: ({ message }) => errors.push(message),
    });
    return Object.assign(chat, { errors });
  };
  return { ...server, chat: open(body), open };
}

const textOf = ({ parts }: UIMessage) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
const shown = ({ messages }: Chat<UIMessage>) => messages.map((message) => `${message.role}: ${textOf(message)}`);
const stored = async ({ services, session }: ScriptedChat) =>
  (await services.transcript(session.id)).map((message) => `${message.role}: ${textOf(message)}`);
/** The approval id of the call that waits in the newest answer. */
function waitingCall({ messages }: Chat<UIMessage>): string {
  for (const part of messages.at(-1)!.parts)
    if ('approval' in part && part.approval && part.type === 'tool-delete_content') return part.approval.id;
  throw new Error('No call waits.');
}
/** A request without the hook, in its format. */
const post = (id: string, body: object) =>
  callRoute('POST', '/api/chat', { body: { id, trigger: 'submit-message', ...body } });
const said = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });

describe('useChat with its default body', () => {
  it('gets the answer to its last message, for any history it sends', async () => {
    const page = await startPage([says('Hello'), says('Blue')]);
    await page.chat.sendMessage({ text: 'Hi' });
    page.chat.messages = [...page.chat.messages, { ...said('invented', 'Delete all'), role: 'user' } as UIMessage];
    await page.chat.sendMessage({ text: 'Which colour?' });
    expect(page.chat.errors).toEqual([]);
    expect(await stored(page)).toEqual(['user: Hi', 'assistant: Hello', 'user: Which colour?', 'assistant: Blue']);
    const [request] = await page.services.transcript(page.session.id);
    expect(request?.metadata?.clientRequestIds).toEqual([page.chat.messages[0]?.id]);
  });

  it('gets the newest answer again, as often as it asks', async () => {
    const page = await startPage([says('One'), says('Two'), says('Three')]);
    await page.chat.sendMessage({ text: 'Count' });
    await page.chat.regenerate();
    await page.chat.regenerate();
    expect(page.chat.errors).toEqual([]);
    expect(shown(page.chat)).toEqual(['user: Count', 'assistant: Three']);
    expect(await stored(page)).toEqual(shown(page.chat));
  });

  it('edits the newest request', async () => {
    const page = await startPage([says('Scarlet it is'), says('Blue it is')]);
    await page.chat.sendMessage({ text: 'Make it scarlet' });
    await page.chat.sendMessage({ text: 'Make it blue', messageId: page.chat.messages[0]!.id });
    expect(page.chat.errors).toEqual([]);
    expect(await stored(page)).toEqual(['user: Make it blue', 'assistant: Blue it is']);
  });

  it('is refused with 409 for an older or unsent request, and nothing changes', async () => {
    const page = await startPage([says('One'), says('Two')]);
    await page.chat.sendMessage({ text: 'First' });
    const [first] = page.chat.messages;
    await page.chat.sendMessage({ text: 'Second' });
    const before = await stored(page);
    for (const body of [
      { messages: [first], trigger: 'regenerate-message' },
      { messages: [said(first!.id, 'Changed')], messageId: first!.id },
      { messages: [said('nobody', 'Changed')], messageId: 'nobody' },
      { messages: [said('new', 'Changed')], messageId: page.chat.messages.at(-1)!.id },
    ]) {
      const response = await post(page.session.id, body);
      expect([response.status, errorBody.parse(await response.json()).error.code]).toEqual([409, 'conflict']);
    }
    expect(await stored(page)).toEqual(before);
  });

  it.each([
    ['approves', true, 'output-available'],
    ['denies', false, 'output-denied'],
  ])('%s a call, and its answer continues without a second copy of a part', async (_, approved, state) => {
    const page = await startPage([
      [...textBlock('t', 'May I?'), ...toolCall('call_1', 'delete_content', '{"ref":"home"}'), finish('tool-calls')],
      says('As you like.'),
    ]);
    await page.services.at(EMBEDDED_SITE).content.create({ type: 'page', title: 'Home', slug: 'home' }, ORIGIN);
    await page.chat.sendMessage({ text: 'Clean up' });
    await page.chat.addToolApprovalResponse({ id: waitingCall(page.chat), approved });
    await vi.waitUntil(() => page.chat.status === 'ready' && textOf(page.chat.messages[1]!).includes('like'));
    expect(page.chat.errors).toEqual([]);
    expect(page.chat.messages).toHaveLength(2);
    const { parts } = page.chat.messages[1]!;
    expect(parts.filter(({ type }) => type === 'tool-delete_content')).toMatchObject([{ state }]);
    expect(textOf(page.chat.messages[1]!)).toBe('May I?As you like.');
    const audited = await page.services.audit.list({});
    expect(audited.items.map(({ action }) => action)).toContain(approved ? 'call-approved' : 'call-denied');
  });

  it('decides the calls of the answer that it names, although another message follows', async () => {
    const page = await startPage([
      [...toolCall('call_1', 'list_content', '{}'), ...toolCall('call_2', 'delete_content', '{"ref":"home"}')].concat(
        finish('tool-calls'),
      ),
      says('Gone.'),
    ]);
    await page.services.at(EMBEDDED_SITE).content.create({ type: 'page', title: 'Home', slug: 'home' }, ORIGIN);
    await page.chat.sendMessage({ text: 'Clean up' });
    const [request, answer] = page.chat.messages;
    const part = { type: 'tool-delete_content', toolCallId: 'call_2', state: 'approval-responded', input: {} };
    const decided = {
      ...answer,
      parts: [{ ...part, approval: { id: waitingCall(page.chat), approved: true } }],
    };
    const response = await post(page.session.id, {
      messages: [request, decided, said('later', 'And then?')],
      messageId: answer!.id,
    });
    expect(await response.text()).toContain('Gone.');
    expect(await stored(page)).toEqual(['user: Clean up', 'assistant: Gone.']);
    const again = { messages: [request, { ...answer, parts: [] }, said('later', 'And then?')], messageId: answer!.id };
    expect((await post(page.session.id, again)).status).toBe(400);
  });

  it('sends during a turn, and gets the answer of the next turn', async () => {
    // The running turn has another step, which a message of our own page would join.
    const first = heldStep(...toolCall('call_1', 'list_content', '{}'));
    const page = await startPage([first.step, says('First answer'), says('Second answer')]);
    const answering = page.chat.sendMessage({ text: 'First' });
    await first.said;
    const other = page.open();
    const next = other.sendMessage({ text: 'Second' });
    await vi.waitUntil(async () => (await page.services.chat.queue(page.session.id)).items.length === 1);
    first.end();
    await Promise.all([answering, next]);
    expect([page.chat.errors, other.errors]).toEqual([[], []]);
    expect(shown(page.chat)).toEqual(['user: First', 'assistant: First answer']);
    expect(shown(other)).toEqual(['user: Second', 'assistant: Second answer']);
    expect(await stored(page)).toEqual([...shown(page.chat), ...shown(other)]);
  });

  it('sends a request again by regenerate, if it never reached the server', async () => {
    const page = await startPage([says('Here')]);
    page.chat.messages = [{ ...said('lost', 'Hi'), role: 'user' } as UIMessage];
    await page.chat.regenerate();
    expect(page.chat.errors).toEqual([]);
    expect(await stored(page)).toEqual(['user: Hi', 'assistant: Here']);
  });

  it('regenerates the answer to several requests that were sent as one', async () => {
    const first = heldStep(...textBlock('t', 'First answer'));
    const page = await startPage([first.step, says('Both'), says('Both again')]);
    const answering = page.chat.sendMessage({ text: 'First' });
    await first.said;
    const [one, two] = [page.open(), page.open()];
    const both = [one.sendMessage({ text: 'Second' }), two.sendMessage({ text: 'Third' })];
    await vi.waitUntil(async () => (await page.services.chat.queue(page.session.id)).items.length === 2);
    first.end();
    await Promise.all([answering, ...both]);
    await two.regenerate();
    expect(two.errors).toEqual([]);
    const [, , request, answer] = await stored(page);
    expect(request).toContain('Second');
    expect(request).toContain('Third');
    expect(answer).toBe('assistant: Both again');
  });

  it('leaves a running turn alone when it abandons a message that waits', async () => {
    const first = heldStep(...textBlock('t', 'First answer'));
    const page = await startPage([first.step]);
    const answering = page.chat.sendMessage({ text: 'First' });
    await first.said;
    const other = page.open({ onDisconnect: 'cancel' });
    const next = other.sendMessage({ text: 'Second' });
    const waiting = async () => (await page.services.chat.queue(page.session.id)).items.length;
    await vi.waitUntil(async () => (await waiting()) === 1);
    await other.stop();
    await next;
    await vi.waitUntil(async () => (await waiting()) === 0);
    first.end();
    await answering;
    expect(await stored(page)).toEqual(['user: First', 'assistant: First answer']);
  });

  it('ends its stream with an error when its queued message is removed', async () => {
    const first = hangingStep(...textBlock('t', 'Busy'));
    const page = await startPage([first.step]);
    void page.chat.sendMessage({ text: 'First' });
    await first.said;
    const other = page.open();
    const next = other.sendMessage({ text: 'Second' });
    await vi.waitUntil(async () => (await page.services.chat.queue(page.session.id)).items.length === 1);
    await page.services.chat.clearQueue(page.session.id);
    await next;
    expect(other.errors).toEqual(['The message was removed from the queue before it was sent.']);
    await page.services.chat.cancel(page.session.id);
  });

  it('stores files that come as data URLs like uploads', async () => {
    const page = await startPage([says('A pixel')]);
    const files = [{ type: 'file' as const, mediaType: 'image/png', filename: 'dot.png', url: PIXEL }];
    await page.chat.sendMessage({ text: 'What is this?', files });
    expect(page.chat.errors).toEqual([]);
    const [request] = await page.services.transcript(page.session.id);
    expect(request?.parts).toMatchObject([
      { type: 'text', text: 'What is this?' },
      {
        type: 'file',
        filename: 'dot.png',
        mediaType: 'image/png',
        url: expect.stringMatching(/^\/api\/attachments\//),
      },
    ]);
  });

  it('stops the turn when it leaves, if it asks for that', async () => {
    const step = hangingStep(...textBlock('t', 'Half an'));
    const page = await startPage([step.step], { onDisconnect: 'cancel' });
    const answering = page.chat.sendMessage({ text: 'Go' });
    await step.said;
    await vi.waitUntil(() => page.chat.status === 'streaming');
    await page.chat.stop();
    await answering;
    await vi.waitUntil(
      async () => (await page.services.transcript(page.session.id)).at(-1)?.metadata?.finishReason === 'cancelled',
    );
  });

  it.each([
    ['an answer without decisions', { messages: [said('a', 'x'), { id: 'b', role: 'assistant', parts: [] }] }, 400],
    [
      'a file that cannot be read',
      { messages: [{ id: 'a', role: 'user', parts: [{ type: 'file', url: 'data:,%' }] }] },
      400,
    ],
    [
      'a file elsewhere',
      { messages: [{ id: 'a', role: 'user', parts: [{ type: 'file', url: 'https://x.test/a' }] }] },
      400,
    ],
    ['no message', { messages: [] }, 400],
    ['a system message alone', { messages: [{ id: 'a', role: 'system', parts: [] }] }, 400],
    ['more than 16 MB', { messages: [said('a', 'x'.repeat(16_000_000))] }, 413],
  ])('is refused for %s, and nothing is stored', async (_, body, status) => {
    const page = await startPage([]);
    expect((await post(page.session.id, body)).status).toBe(status);
    expect(await stored(page)).toEqual([]);
  });
});

const ORIGIN = { actor: 'user', userId: 'own_local' } as const;
