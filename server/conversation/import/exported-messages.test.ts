import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '#server/core/errors';
import { importMessages } from '#server/conversation/import/import-messages';
import { exportAsJson, exportedMessages, withFileBytes } from '#server/http/downloads/export-conversation';
import { pngImage } from '#tests/support/attached-files';
import { startTestServices } from '#tests/support/test-services';

const exported = (role: string, parts: readonly object[], more: object = {}) => ({
  id: 'msg_1',
  seq: 1,
  role,
  status: 'complete',
  isSummary: false,
  parentId: null,
  supersededBy: null,
  modelId: null,
  parts,
  ...more,
});
const text = (words: string) => ({ id: 'prt_1', type: 'text', state: 'completed', content: { text: words } });
const ids = { toolCallId: 'a', toolName: 'look' };

describe('importing our own export', () => {
  it('keeps texts, calls, results and files as they were', async () => {
    const { messages, instructions } = await importMessages([
      exported('user', [text('Look'), { type: 'file', content: { mediaType: 'image/png', url: 'data:image/png;base64,aGk=' } }]), // oxfmt-ignore
      exported('assistant', [{ type: 'step-start', content: {} }, { type: 'tool-call', content: { ...ids, input: { at: 1 } } }], { modelId: 'x/y' }), // oxfmt-ignore
      exported('tool', [{ type: 'tool-result', state: 'completed', compactedAt: 7, content: { ...ids, output: { type: 'error-text', value: 'No.' } } }]), // oxfmt-ignore
    ]);
    expect(instructions).toBeNull();
    expect(
      messages.map(({ role, modelId, parts }) => [role, modelId, parts.map(({ type, state }) => [type, state])]),
    ).toEqual([
      // oxfmt-ignore
      ['user', null, [['text', 'completed'], ['file', 'completed']]], // oxfmt-ignore
      ['assistant', 'x/y', [['tool-call', 'completed']]], // oxfmt-ignore
      ['tool', null, [['tool-result', 'error']]],
    ]);
    expect(messages[1]?.parts[0]?.content).toEqual({ ...ids, input: { at: 1 } });
  });

  it('omits unsent and replaced messages', async () => {
    const { messages } = await importMessages([
      exported('user', [text('First try')], { supersededBy: 'msg_2' }),
      exported('user', [text('Second try')]),
      exported('assistant', [{ type: 'compaction-marker', content: { summary: 's', compactedAt: 1, messagesCompacted: 1, originalTokens: 1, round: 1 } }], { isSummary: true }), // oxfmt-ignore
      exported('user', [text('[Note from Throughline] Go on.')], { parentId: 'msg_2' }),
    ]);
    expect(messages.map(({ parts }) => parts.map(({ content }) => content))).toEqual([[{ text: 'Second try' }]]);
  });

  it('keeps how an answer ended and what it cost, from one session to another', async () => {
    await using services = await startTestServices();
    const first = await services.sessions.create({ ownerId: 'own_local' });
    const usage = { inputTokens: 900, outputTokens: 40, cacheReadTokens: 300, cost: 0.02, viewKey: 'whole/0/0' };
    const ended = { status: 'interrupted', finishReason: 'cancelled', error: 'It was stopped.', usage } as const;
    const said = (words: string) => [{ type: 'text' as const, state: 'completed' as const, content: { text: words } }];
    const [, answer] = await services.messages.appendMany(first.id, [
      { role: 'user', parts: said('Tell me a long story') },
      { role: 'assistant', modelId: 'x/y', parts: said('Once upon a') },
    ]);
    await services.messages.updateMessage(answer!.id, ended);

    const messages = withFileBytes(services, exportedMessages(services, first.id));
    let file = '';
    for await (const piece of exportAsJson({ session: first, wishes: [], compactions: [], messages })) file += piece;
    const again = await services.sessions.create({ ownerId: 'own_local' });
    await services.context.import(again, (JSON.parse(file) as { messages: unknown[] }).messages);

    const [request, taken] = (await services.messages.list(again.id, {})).items;
    expect(request).toMatchObject({ status: 'complete', finishReason: null, error: null, usage: null });
    const { viewKey: _, ...figures } = usage;
    expect(taken).toMatchObject({ ...ended, usage: figures });
    // A report about another session's view: the new one's tokens are counted.
    const inspected = await services.context.inspect(again);
    expect(inspected.usage).toMatchObject({ source: 'estimated', cost: { total: 0.02 } });
  });

  it('takes an answer that was still being written for an interrupted one', async () => {
    const { messages } = await importMessages([exported('assistant', [text('Once')], { status: 'streaming' })]);
    expect(messages).toMatchObject([{ status: 'interrupted' }]);
  });

  it.each([
    ['a part of an unknown type', exported('user', [{ type: 'video', content: {} }])],
    ['a file that is on our server only', exported('user', [{ type: 'file', content: { mediaType: 'image/png', url: '@blob:blb_1' } }])], // oxfmt-ignore
    ['an unknown role', exported('robot', [text('Beep')])],
  ])('refuses %s', async (_, message) => {
    const imported = importMessages([exported('user', [text('Fine')]), message]);
    await expect(imported).rejects.toThrow(InvalidInputError);
  });
});

it('exports the bytes of pictures that a tool returned', async () => {
  await using services = await startTestServices();
  const { id } = await services.sessions.create({ ownerId: 'own_local' });
  const blob = await services.attachments.keep(id, 'plan.png', pngImage(8, 8));
  const image = { type: 'file', mediaType: 'image/png', filename: 'plan.png', url: `@blob:${blob.id}` };
  const output = { type: 'content' as const, value: [image] };
  await services.messages.appendMany(id, [
    { role: 'assistant', parts: [{ type: 'tool-call', state: 'completed', content: { ...ids, input: {} } }] },
    { role: 'tool', parts: [{ type: 'tool-result', state: 'completed', content: { ...ids, output } }] },
  ]);
  let file = '';
  for await (const message of withFileBytes(services, exportedMessages(services, id))) file += JSON.stringify(message);
  expect(file).not.toContain('@blob:');
  expect(file).toContain('data:image/png;base64,');
});
