import { describe, expect, it } from 'vitest';
import type { ChatPart } from '#lib/chat-message';
import { messageBlocks, showsProgress } from '#lib/message-blocks';

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

  it('shows a question by itself', () => {
    expect(messageBlocks([tool('a'), tool('b', 'ask_user')]).map(({ kind }) => kind)).toEqual(['tools', 'question']);
  });

  it('puts a compaction in its place', () => {
    const line = { type: 'data-compaction', id: 'c', data: { phase: 'complete' } } as ChatPart;
    expect(messageBlocks([tool('a'), line, tool('b')]).map(({ kind }) => kind)).toEqual([
      'tools',
      'compaction',
      'tools',
    ]);
  });

  it('drops what shows nothing', () => {
    expect(messageBlocks([step, text('  '), { type: 'data-context', data: {} }])).toEqual([]);
  });

  it('keeps the keys of blocks while the message grows', () => {
    const parts = [text('One.'), tool('a')];
    const before = messageBlocks(parts).map(({ key }) => key);
    const after = messageBlocks([...parts, tool('b'), text('Two.')]).map(({ key }) => key);
    expect(after.slice(0, before.length)).toEqual(before);
  });
});

describe('showsProgress', () => {
  it('is true while text arrives, a tool runs or a summary is made', () => {
    expect(showsProgress([text('Wor', 'streaming')])).toBe(true);
    expect(showsProgress([tool('a', 'undo', 'input-available')])).toBe(true);
    expect(showsProgress([{ type: 'data-compaction', id: 'c', data: { phase: 'start' } }])).toBe(true);
  });

  it('is false between two steps', () => {
    expect(showsProgress([tool('a')])).toBe(false);
    expect(showsProgress([])).toBe(false);
  });
});
