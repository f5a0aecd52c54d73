import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wordsSince } from '#components/chat/session/outbox.ts';
import { SessionServer } from '#tests/support/session-server';
import { isDeep } from '#tests/support/deep';

/** The requests that carry words. */
const SENDS = ['POST /api/chat', 'POST /api/message/queue'];

/**
 * What becomes of a request that carries words: the server answers, refuses, takes them though its answer never arrives
 * (it broke off, the page waits for it still, or is gone by then), or hears nothing of it.
 */
const fates = ['answered', 'signed out', 'refused', 'broken off', 'silent', 'late', 'unheard'] as const;
type Fate = (typeof fates)[number];

/** What happens in a tab, in any order. */
type Event = { readonly kind: 'send'; readonly fate: Fate } | { readonly kind: 'signed out' | 'reload' | 'end turn' };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('send' as const), fate: fc.constantFrom(...fates) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('signed out', 'reload', 'end turn') }) },
);

const tick = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A tab of the browser: its store stays; each page that it opens has separate modules. */
class Tab {
  readonly server: SessionServer;
  readonly #stored = new Map<string, string>();
  readonly #late: (() => Promise<unknown>)[] = [];
  #fate: Fate = 'answered';
  #leave: () => void = () => undefined;

  private constructor(server: SessionServer) {
    this.server = server;
  }

  static async start(): Promise<Tab> {
    return new Tab(await SessionServer.start());
  }

  /** A page of the conversation, as if its address was opened; given back when it shows the transcript. */
  async open() {
    this.#leave();
    const sessionId = this.server.session.id;
    const page = { isLeft: false };
    const isAlive = () => !page.isLeft;
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => this.#stored.get(key) ?? null,
      setItem: (key: string, text: string) => isAlive() && this.#stored.set(key, text),
      removeItem: (key: string) => isAlive() && this.#stored.delete(key),
    });
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) => this.#request(address, init, isAlive));
    vi.stubGlobal('window', undefined);
    vi.resetModules();
    const [{ ChatSession }, drafts, { sendDraft }, { api }] = await Promise.all([
      import('#components/chat/session/chat-session.ts'),
      import('#components/chat/session/drafts.ts'),
      import('#components/chat/composer/draft-files.ts'),
      import('#components/api/api-client.ts'),
    ]);
    // As after typing: a message is sent immediately.
    const assign = vi.fn<(address: string) => void>();
    vi.stubGlobal('window', {
      location: { pathname: `/c/${sessionId}`, search: '', assign },
      addEventListener: vi.fn(),
    });
    const session = new ChatSession(sessionId, {
      onContext: () => undefined,
      onPreferences: () => undefined,
      onViewChanged: () => undefined,
      onSettled: () => undefined,
    });
    this.#leave = () => {
      page.isLeft = true;
      leave();
      session.close();
    };
    const leave = session.watch();
    await vi.waitUntil(() => session.getState().load === 'ready', { interval: 1 });
    const field = () => drafts.draftAt(sessionId);
    const send = (text: string) => {
      const onSend = (words: string) => session.outbox.send(words, undefined);
      return sendDraft(sessionId, text, { sessionFor: async () => sessionId, onSend }).catch(() => undefined);
    };
    return {
      session,
      field,
      /** Writes below what is in the field, and sends all of it. */
      say: (words: string) => {
        drafts.returnToDraft(sessionId, words);
        return send(field().trim());
      },
      fetchAnything: () => api.get('/api/anything').catch(() => undefined),
      isLeaving: () => assign.mock.calls.length > 0,
    };
  }

  setFate(fate: Fate): void {
    this.#fate = fate;
  }

  /** What was on its way when its page was left arrives. */
  async arrive(): Promise<void> {
    for (const request of this.#late.splice(0)) await request();
  }

  /** Everything the user has said, as the server has it. */
  async accepted(): Promise<string[]> {
    const stored = await this.server.transcript();
    return [...wordsSince(stored, ''), ...(await this.server.queue())];
  }

  async close(): Promise<void> {
    this.#leave();
    vi.unstubAllGlobals();
    await this.server.stop();
  }

  async #request(address: string, init: RequestInit | undefined, isAlive: () => boolean): Promise<Response> {
    const answer = await this.#answer(address, init);
    // Code of a page that was left no longer runs.
    return isAlive() ? answer() : new Promise(() => undefined);
  }

  async #answer(address: string, init?: RequestInit): Promise<() => Response> {
    if (address === '/api/anything') return () => Response.json({ error: {} }, { status: 401 });
    const isSend = SENDS.includes(`${init?.method ?? 'GET'} ${address.split('?')[0] ?? ''}`);
    const fate = isSend ? this.#fate : 'answered';
    if (fate === 'late') {
      this.#late.push(() => this.server.fetch(address, init));
      return new Promise(() => undefined);
    }
    if (fate === 'signed out') return () => Response.json({ error: {} }, { status: 401 });
    if (fate === 'refused') return () => Response.json({ error: { message: 'Not now.' } }, { status: 503 });
    const response = fate === 'unheard' ? undefined : await this.server.fetch(address, init);
    if (fate === 'silent') return new Promise(() => undefined);
    return () => {
      if (fate === 'answered' && response) return response;
      throw new TypeError('Failed to fetch');
    };
  }
}

describe('words that were sent', () => {
  let tab: Tab;
  // The pauses between two attempts to reach the server.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
  afterEach(async () => {
    await tab.close();
    vi.useRealTimers();
  });

  it('are in the field or on the server, for any order of answers, sign-outs and reloads', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(event, fc.nat({ max: 3 })), { minLength: 1, maxLength: 7 }),
        async (events) => {
          tab = await Tab.start();
          const said: string[] = [];
          let page = await tab.open();
          for (const [what, ticks] of events) {
            if (what.kind === 'send') {
              tab.setFate(what.fate);
              const words = `words number ${String(said.length)}.`;
              said.push(words);
              void page.say(words);
            }
            if (what.kind === 'signed out') void page.fetchAnything();
            if (what.kind === 'end turn' && (await tab.server.isRunning())) tab.server.endTurn('Done.');
            for (let turn = 0; turn < ticks; turn += 1) await tick();
            // The browser leaves some time after a redirect, and when the user reloads.
            if (what.kind === 'reload' || (page.isLeaving() && ticks % 2 === 0)) {
              page = await tab.open();
            }
          }
          tab.setFate('answered');
          page = await tab.open();
          const known = `${page.field()}\n${(await tab.accepted()).join('\n')}`;
          for (const words of said) expect(known).toContain(words);
          await tab.close();
        },
      ),
      { numRuns: isDeep ? 300 : 12 },
    );
  });

  it('are sent again under the same idempotency key', async () => {
    tab = await Tab.start();
    const before = await tab.open();
    tab.setFate('late');
    void before.say('Only once, please.');
    await tick();
    tab.setFate('answered');
    const after = await tab.open();
    expect(after.field()).toBe('Only once, please.');
    await after.say('');
    await tab.arrive();
    await vi.waitUntil(() => tab.server.sent.length === 2);
    expect(await tab.accepted()).toEqual(['Only once, please.']);
  });

  it.each(['silent', 'broken off', 'late'] as const)(
    'leave the field when the server turns out to have them (%s)',
    async (fate) => {
      tab = await Tab.start();
      const before = await tab.open();
      tab.setFate(fate);
      void before.say('Are you there?');
      await vi.waitUntil(() => fate === 'late' || tab.server.sent.length > 0);
      await tick();
      const after = await tab.open();
      await tab.arrive();
      await vi.waitUntil(() => after.field() === '');
      expect(await tab.accepted()).toEqual(['Are you there?']);
    },
  );

  it.each([
    ['part of what the server has', 'Yes'],
    ['one of several that it took as one', 'Yes, publish it.', 'And the prices?'],
  ])('are taken out of the field only as a whole: %s', async (_, said, ...others) => {
    tab = await Tab.start();
    const before = await tab.open();
    tab.setFate('unheard');
    void before.say(said);
    await tick();
    tab.setFate('answered');
    // Another client.
    for (const text of ['Hello', 'Yes, publish it.', ...others]) tab.server.startTurn(text);
    tab.server.endTurn('Good day.');
    tab.server.endTurn('Done.');
    await tab.server.done();
    const after = await tab.open();
    await vi.waitUntil(() => tab.server.requests.filter((request) => request.endsWith('/events')).length >= 2);
    for (let turn = 0; turn < 5; turn += 1) await tick();
    expect(after.field()).toBe(others.length > 0 ? '' : said);
  });
});
