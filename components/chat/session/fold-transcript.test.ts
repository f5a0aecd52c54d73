import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatMetadata } from '#components/api/chat-message.ts';
import { findPlace, foldTranscript, type TranscriptState } from '#components/chat/session/fold-transcript.ts';
import { EMPTY_CONVERSATION, type FeedEvent } from '#server/core/conversation/conversation-state';
import type { UiMessage } from '#server/core/conversation/messages';

const message = (id: string, role: 'user' | 'assistant', text = id, metadata: ChatMetadata = {}): ChatMessage => ({
  id,
  role,
  metadata,
  parts: [{ type: 'text', text }],
});
const transcript = (...messages: readonly ChatMessage[]): TranscriptState => ({ ...EMPTY_CONVERSATION, messages });
const fed = (messages: readonly ChatMessage[]) => structuredClone(messages) as unknown as UiMessage[];
const snapshot = (messages: readonly ChatMessage[], nextCursor: string | null = null): FeedEvent => ({
  name: 'snapshot',
  data: { ...EMPTY_CONVERSATION, messages: fed(messages), nextCursor },
});
const started = (request: ChatMessage, replaces?: string): FeedEvent => ({
  name: 'turn:start',
  data: { turnId: 'trn_1', messageId: request.id, messages: fed([request]), ...(replaces && { replaces }) },
});
const idsOf = ({ messages }: TranscriptState) => messages.map(({ id }) => id);

describe('the transcript of the feed', () => {
  it('gives a message of this tab its stored id, also before its answer', () => {
    const state = transcript(message('key-1', 'user'), message('msg_2', 'assistant'));
    const next = foldTranscript(state, started(message('msg_1', 'user', 'One', { clientRequestIds: ['key-1'] })), null);
    expect(idsOf(next)).toEqual(['msg_1', 'msg_2']);
  });

  it('shows messages of this tab as the one stored message', () => {
    const state = transcript(message('key-1', 'user'), message('key-2', 'user'));
    const stored = message('msg_1', 'user', 'Both', { clientRequestIds: ['key-1', 'key-2'] });
    expect(idsOf(foldTranscript(state, started(stored), null))).toEqual(['msg_1']);
  });

  it('removes a replaced request with everything after it', () => {
    const state = transcript(message('msg_1', 'user'), message('msg_2', 'assistant'));
    expect(idsOf(foldTranscript(state, started(message('msg_3', 'user'), 'msg_1'), null))).toEqual(['msg_3']);
  });

  it('keeps earlier pages with their cursor if a snapshot overlaps', () => {
    const known = ['msg_1', 'msg_2', 'msg_3'].map((id) => message(id, 'user'));
    const state = { ...transcript(...known), nextCursor: 'before 1' };
    const next = foldTranscript(state, snapshot([known[1]!, known[2]!, message('msg_4', 'user')], 'before 2'), null);
    expect(idsOf(next)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4']);
    expect(next.nextCursor).toBe('before 1');
    expect(next.messages[1]).toBe(known[1]);
  });

  it('starts again from a snapshot that does not overlap, so that there is no gap', () => {
    const state = transcript(message('msg_1', 'user'));
    const next = foldTranscript(state, snapshot([message('msg_8', 'user')], 'before 8'), null);
    expect(idsOf(next)).toEqual(['msg_8']);
    expect(next.nextCursor).toBe('before 8');
  });

  it('keeps the streamed answer and an unstored message after a snapshot', () => {
    const live = message('msg_3', 'assistant', 'All of it');
    const state = transcript(message('msg_1', 'user'), message('key-1', 'user'), live);
    expect(idsOf(foldTranscript(state, snapshot([message('msg_1', 'user')]), live.id))).toEqual([
      'msg_1',
      'key-1',
      'msg_3',
    ]);
    const older = [message('msg_1', 'user'), message('msg_3', 'assistant', 'All')];
    expect(foldTranscript(state, snapshot(older), live.id).messages).toContain(live);
    expect(foldTranscript(state, snapshot(older), null).messages).not.toContain(live);
  });
});

describe('the place of a stored message', () => {
  it('is the message, the answer of its turn, or the message before it', () => {
    const messages = [message('msg_1', 'user'), message('msg_3', 'assistant', '', { turnId: 'trn_1' })];
    expect(findPlace(messages, { messageId: 'msg_1', turnId: null })?.id).toBe('msg_1');
    expect(findPlace(messages, { messageId: 'msg_4', turnId: 'trn_1' })?.id).toBe('msg_3');
    expect(findPlace(messages, { messageId: 'msg_2', turnId: null })?.id).toBe('msg_1');
    expect(findPlace(messages, { messageId: null, turnId: null })).toBeUndefined();
  });
});
