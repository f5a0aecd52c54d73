import { describe, expect, it } from 'vitest';
import type { ChatPart } from '#components/api/chat-message.ts';
import { messageBlocks, userWords } from '#components/chat/parts/message-blocks.ts';

const text = (value: string, state: 'streaming' | 'done' = 'done'): ChatPart => ({ type: 'text', text: value, state });
const tool = (id: string, name = 'get_content', state = 'output-available') =>
  ({ type: `tool-${name}`, toolCallId: id, state, input: {}, output: {} }) as ChatPart;
const step: ChatPart = { type: 'step-start' };

describe('messageBlocks', () => {
  it('gathers tool calls that follow each other, also across steps', () => {
    const blocks = messageBlocks([step, text('First.'), tool('a'), step, tool('b'), text('Done.')]);
    expect(blocks.map(({ kind }) => kind)).toEqual(['text', 'tools', 'text']);
    expect(blocks[1]).toMatchObject({ calls: [{ id: 'a' }, { id: 'b' }] });
  });

  it('keeps the keys of blocks while the message grows', () => {
    const parts = [text('One.'), tool('a')];
    const before = messageBlocks(parts).map(({ key }) => key);
    const after = messageBlocks([...parts, tool('b'), text('Two.')]).map(({ key }) => key);
    expect(after.slice(0, before.length)).toEqual(before);
  });
});

describe('pending approvals', () => {
  it('is placed after the other calls of its step, also if it was requested between them', () => {
    const blocks = messageBlocks([
      text('I shall.'),
      tool('a', 'delete_content', 'approval-requested'),
      tool('b'),
      tool('c', 'publish_content', 'approval-requested'),
    ]);
    expect(blocks.map(({ kind }) => kind)).toEqual(['text', 'tools', 'approval']);
    expect(blocks[2]).toMatchObject({ calls: [{ id: 'a' }, { id: 'c' }] });
  });

  it('keep their block and the text being typed in it when the first of them is decided', () => {
    const keyOf = (first: string) =>
      messageBlocks([tool('a', 'delete_content', first), tool('b', 'publish_content', 'approval-requested')]).find(
        ({ kind }) => kind === 'approval',
      )?.key;
    expect(keyOf('output-denied')).toBe(keyOf('approval-requested'));
  });
});

describe('messages of the user', () => {
  const steering = (words: string, messageCount?: number): ChatPart => ({
    type: 'steering-message',
    id: 'msg_1',
    parts: [
      {
        type: 'text',
        text: words,
        ...(messageCount === undefined ? {} : { providerMetadata: { throughline: { messageCount } } }),
      },
    ],
  });

  it('is shown where it arrived during the answer', () => {
    const blocks = messageBlocks([tool('a'), steering('Make it blue.'), tool('b')]);
    expect(blocks.map(({ kind }) => kind)).toEqual(['tools', 'note', 'tools']);
    expect(blocks[1]).toMatchObject({ words: { text: 'Make it blue.', originals: null } });
  });

  it('unfolds into the messages it was', () => {
    const words = { originals: ['Make it blue.', 'Make it big.'] };
    const sent = 'First: Make it blue.\n\nAlso: Make it big.';
    expect(messageBlocks([steering(sent, 2)])[0]).toMatchObject({ words });
    expect(userWords([text(sent)], 2)).toMatchObject(words);
    expect(userWords([text('[1] a\n\n[2] b\n\n[3] c')], 3).originals).toEqual(['a', 'b', 'c']);
  });

  it('is one message unless the server says otherwise, and whole where the joints are in doubt', () => {
    expect(userWords([text('[1] a\n\n[2] b\n\n[3] c')], undefined).originals).toBeNull();
    expect(userWords([text('[1] a\n\n[2] b\n\n[3] c')], 4).originals).toBeNull();
  });
});
