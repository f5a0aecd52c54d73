import { expect, it } from 'vitest';
import type { ChatMessage } from '#components/api/chat-message';
import { findPlace } from '#components/chat/session/message-place';

const message = (id: string, role: 'user' | 'assistant', turnId?: string): ChatMessage => ({
  id,
  role,
  parts: [],
  metadata: { createdAt: 1, status: 'complete', ...(turnId !== undefined && { turnId }) },
});
const messages = [
  message('msg_3', 'user', 'trn_1'),
  message('msg_4', 'assistant', 'trn_1'),
  message('msg_8', 'user'),
  message('msg_9', 'assistant'),
  message('unsent', 'user'),
];
const idOf = (messageId: string | null, turnId: string | null = null) => findPlace(messages, { messageId, turnId })?.id;

it('finds a message by its id, by its turn, or by what was stored before it', () => {
  expect(idOf('msg_3', 'trn_1')).toBe('msg_3');
  expect(idOf('msg_6', 'trn_1')).toBe('msg_4');
  expect(idOf(null, 'trn_1')).toBe('msg_4');
  expect(idOf('msg_95')).toBe('msg_9');
});

it('does not find what is older than all that is loaded', () => {
  expect(idOf('msg_1')).toBeUndefined();
  expect(idOf('msg_1', 'trn_0')).toBeUndefined();
  expect(idOf(null)).toBeUndefined();
});
