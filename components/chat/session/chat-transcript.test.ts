import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChatMessage } from '#components/api/chat-message';
import type { LiveChat } from '#components/chat/session/live-chat';
import { ChatTranscript, findPlace } from '#components/chat/session/chat-transcript';

/** A stored conversation: what GET messages answers for it, page by page from the end. */
class StoredConversation {
  readonly messages: ChatMessage[] = [];
  /** Stored messages that one page had at most were asked for. */
  readonly limits: number[] = [];
  #turns = 0;

  addTurn(): void {
    this.#turns += 1;
    const say = (role: 'user' | 'assistant'): ChatMessage => ({
      id: `msg_${String(this.#turns)}_${role}`,
      role,
      parts: [{ type: 'text', text: `${role} ${String(this.#turns)}` }],
      metadata: { turnId: `trn_${String(this.#turns)}` },
    });
    this.messages.push(say('user'), say('assistant'));
  }

  /** Something is said of a message that was not said before: it was cleared, a summary was taken back. */
  change(index: number): void {
    const message = this.messages[index];
    if (message) this.messages[index] = { ...message, parts: [...message.parts, { type: 'text', text: 'changed' }] };
  }

  replaceNewest(): void {
    this.messages.splice(-2);
    this.addTurn();
  }

  readonly fetch = async (address: string): Promise<Response> => {
    const { searchParams } = new URL(address, 'http://localhost');
    const end = Number(searchParams.get('cursor') ?? this.messages.length);
    this.limits.push(Number(searchParams.get('limit')));
    // A message of the browser stands for ten stored ones, a turn is never cut.
    const start = Math.max(0, Math.floor((end - Math.max(2, Number(searchParams.get('limit')) / 10)) / 2) * 2);
    await Promise.resolve();
    return Response.json({ items: this.messages.slice(start, end), nextCursor: start === 0 ? null : String(start) });
  };
}

function openTranscript(turns: number) {
  const stored = new StoredConversation();
  for (let turn = 0; turn < turns; turn += 1) stored.addTurn();
  vi.stubGlobal('fetch', stored.fetch);
  const chat = { id: 'ses_1', messages: [] as ChatMessage[] };
  const transcript = new ChatTranscript(chat as unknown as LiveChat, ({ id }) => id.startsWith('unsent'));
  return { stored, chat, transcript };
}

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('load' as const, 'earlier' as const, 'both' as const, 'replace' as const) }),
  fc.record({ kind: fc.constant('add' as const), turns: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant('change' as const), index: fc.nat(60) }),
);

describe('ChatTranscript', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('is shown once a loading has ended, also one that was overtaken by another', async () => {
    const { chat, transcript } = openTranscript(2);
    const [first, second] = [transcript.load(), transcript.load()];
    expect(await first).toBe(true);
    expect(chat.messages).toHaveLength(4);
    expect(await second).toBe(true);
  });

  it('shows, after any sequence of pages and changes, what reading everything would show', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(30), fc.array(step, { maxLength: 15 }), async (turns, steps) => {
        const { stored, chat, transcript } = openTranscript(turns);
        await transcript.load();
        for (const taken of steps) {
          const before = chat.messages;
          if (taken.kind === 'load') await transcript.load();
          if (taken.kind === 'earlier') await transcript.loadEarlier();
          if (taken.kind === 'both') await Promise.all([transcript.loadEarlier(), transcript.load()]);
          if (taken.kind === 'replace') stored.replaceNewest();
          if (taken.kind === 'add') for (let turn = 0; turn < taken.turns; turn += 1) stored.addTurn();
          if (taken.kind === 'change') {
            stored.change(taken.index);
            transcript.markStale();
          }
          if (taken.kind !== 'load' || transcript.isBehind) continue;
          expect(chat.messages).toEqual(stored.messages.slice(stored.messages.length - chat.messages.length));
          // What the reader had in view does not go away, and nothing is drawn that nobody asked for.
          const first = before[0];
          if (first && stored.messages.some(({ id }) => id === first.id)) expect(chat.messages[0]?.id).toBe(first.id);
        }
        do await transcript.load();
        while (transcript.isBehind);
        while (transcript.hasEarlier) await transcript.loadEarlier();
        expect(chat.messages).toEqual(stored.messages);
      }),
      { numRuns: 300 },
    );
  });

  it('reads only the end when a turn has ended, and keeps the objects of what has not changed', async () => {
    const { stored, chat, transcript } = openTranscript(50);
    await transcript.load();
    await transcript.loadEarlier();
    const before = [...chat.messages];
    stored.addTurn();
    transcript.announce('trn_51');
    stored.limits.length = 0;
    await transcript.load();
    expect(stored.limits).toHaveLength(1);
    expect(stored.limits[0]).toBeLessThan(100);
    expect(transcript.isBehind).toBe(false);
    expect(chat.messages).toHaveLength(before.length + 2);
    expect(before.every((message, index) => chat.messages[index] === message)).toBe(true);
  });

  it('keeps all of a conversation on screen that was begun here, when it is read for the first time', async () => {
    const { stored, chat, transcript } = openTranscript(0);
    for (let turn = 0; turn < 100; turn += 1) stored.addTurn();
    chat.messages = stored.messages.map((message) =>
      message.role === 'user' ? { ...message, id: crypto.randomUUID() } : message,
    );
    transcript.markStale();
    await transcript.load();
    expect(chat.messages).toEqual(stored.messages);
  });

  it('keeps what is unsent at the end', async () => {
    const { stored, chat, transcript } = openTranscript(3);
    await transcript.load();
    const unsent: ChatMessage = { id: 'unsent_1', role: 'user', parts: [] };
    chat.messages = [...chat.messages, unsent];
    stored.addTurn();
    transcript.markStale();
    await transcript.load();
    expect(chat.messages).toEqual([...stored.messages.slice(2), unsent]);
  });
});

describe('the place of a message in the transcript', () => {
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
  const idOf = (messageId: string | null, turnId: string | null = null) =>
    findPlace(messages, { messageId, turnId })?.id;

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
});
