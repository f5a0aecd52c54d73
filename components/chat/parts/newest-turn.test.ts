import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { newestTurn, partsToSend } from '#components/chat/parts/newest-turn.ts';

const asked = (id: string, ...parts: ChatMessage['parts']): ChatMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text: id }, ...parts],
});
const wrote = (toolCallId: string, state: 'output-available' | 'input-available' = 'output-available') =>
  ({ type: 'tool-create_content', toolCallId, state, input: {}, output: {} }) as ChatMessage['parts'][number];
const answered = (id: string, ...parts: ChatMessage['parts']): ChatMessage => ({ id, role: 'assistant', parts });
const file = (url: string) => ({ type: 'file' as const, mediaType: 'image/png', url });

describe('the newest turn', () => {
  it('is the last request with its answer, and counts the changes that stand to be undone', () => {
    const messages = [
      asked('msg_1'),
      answered('msg_2', wrote('a')),
      asked('msg_3'),
      answered('msg_4', wrote('b'), wrote('c'), wrote('d', 'input-available')),
    ];
    expect(newestTurn(messages)).toEqual({ request: messages[2], lastId: 'msg_4', changes: 2 });
    expect(newestTurn(messages.slice(0, 3))).toMatchObject({ lastId: 'msg_3', changes: 0 });
    expect(newestTurn([asked('8d9f')])).toBeNull();
    expect(newestTurn([])).toBeNull();
    expect(newestTurn([answered('msg_1')])).toBeNull();
  });

  it('keeps the files that the server has, and is none where it has them not', () => {
    const own = file('/api/attachments/blb_1');
    expect(partsToSend(asked('msg_1', own))).toEqual([{ type: 'text', text: 'msg_1' }, own]);
    expect(newestTurn([asked('msg_1', own)])).not.toBeNull();
    expect(newestTurn([asked('msg_1', file('https://example.org/a.png'))])).toBeNull();
  });
});
