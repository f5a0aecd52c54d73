import { type ChatMessage, messageText } from '#components/api/chat-message.ts';
import { coalesceTexts } from '#server/core/conversation/coalesced-text';
import type { ConversationState } from '#server/core/conversation/conversation-state';
import type { SessionEventData, SessionEventName, TurnState } from '#server/core/conversation/events';
import type { UiMessage } from '#server/core/conversation/messages';
import type { ApprovalDecision } from '#server/core/conversation/approvals';

interface Waiting {
  readonly id: string;
  text: string;
  readonly files: readonly string[];
  readonly createdAt: number;
}

interface StoredEvent {
  readonly id: number;
  readonly name: SessionEventName;
  readonly data: object;
}

interface RunningTurn {
  readonly id: string;
  readonly chunks: object[];
  readonly readers: Set<ReadableStreamDefaultController<Uint8Array>>;
}

interface ChatBody {
  readonly message: ChatMessage;
  readonly clientRequestId: string;
  readonly decisions: readonly ApprovalDecision[];
  readonly replaces?: { readonly messageId: string; readonly undoChanges: boolean };
}

const EVENT_STREAM = { headers: { 'content-type': 'text/event-stream' } };

/**
 * A server with one session, as much of our REST contract as a conversation in the browser speaks, in memory. Its turns
 * say and end what a test tells them to.
 */
export class FakeChatServer {
  readonly stored: ChatMessage[] = [];
  /** Messages that were sent, in any way, with their idempotency keys. */
  readonly sent: { readonly id: string; readonly text: string }[] = [];
  /** Every request: `GET /api/...`. */
  readonly requests: string[] = [];
  readonly decisions: ApprovalDecision[] = [];
  queue: Waiting[] = [];
  held = false;
  refusesNext = false;
  /** Events are held back until `sendDelayedEvents`. */
  delaysEvents = false;
  /** A cancel is heard, and the turn takes its time to end. */
  stopsSlowly = false;
  /** The status of that refusal. */
  refusal = 503;
  /** Since when a summary is being made; epoch ms. */
  compactingSince: number | null = null;
  compactOutcome: object = { status: 'skipped', reason: 'nothing_to_compact' };
  /** Ends the running turn with this text just before a client could follow it. */
  endsBeforeFollow: string | null = null;
  /** What is held back before the answer of these requests: `POST /api/chat`. */
  readonly gates = new Map<string, Promise<void>>();
  /** Requests that are heard once more and get no answer: the connection breaks off. */
  readonly lost = new Set<string>();
  #turn: RunningTurn | null = null;
  #count = 0;
  /** Ids of queued or stored messages by idempotency key. */
  readonly #accepted = new Map<string, string>();
  readonly #events: StoredEvent[] = [];
  readonly #unsent: StoredEvent[] = [];
  /** The newest turn. */
  #turnState: TurnState | null = null;
  readonly #listeners = new Set<ReadableStreamDefaultController<Uint8Array>>();

  get isRunning(): boolean {
    return this.#turn !== null;
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  readonly fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const [path = '', query = ''] = address.split('?');
    const request = `${init.method ?? 'GET'} ${path}`;
    this.requests.push(request);
    await this.gates.get(request);
    const body = (typeof init.body === 'string' ? JSON.parse(init.body) : {}) as ChatBody;
    if (this.refusesNext && init.method === 'POST') {
      this.refusesNext = false;
      return Response.json({ error: { code: 'unavailable', message: 'Not now.' } }, { status: this.refusal });
    }
    const answer = await this.#answer(request, body, init, query);
    if (this.lost.delete(request)) throw new TypeError('Failed to fetch');
    return answer;
  };

  emit<Name extends SessionEventName>(name: Name, data: SessionEventData[Name]): void {
    const event = { id: this.#events.length + 1, name, data };
    this.#events.push(event);
    this.#unsent.push(event);
    if (!this.delaysEvents) this.sendDelayedEvents();
  }

  /** Sends the events that `delaysEvents` has held back, and later ones without delay. */
  sendDelayedEvents(): void {
    this.delaysEvents = false;
    for (const event of this.#unsent.splice(0))
      for (const listener of this.#listeners) listener.enqueue(this.#frameOf(event));
  }

  /** A turn for a message of any client, the waiting ones before it. */
  startTurn(...texts: readonly string[]): void {
    this.#startTurn(texts);
  }

  /** @param clientRequestId under which the last of the texts was sent */
  #startTurn(texts: readonly string[], clientRequestId?: string, replaces?: string): void {
    const number = String((this.#count += 1));
    const waiting = this.queue.splice(0);
    const taken = [...waiting.map(({ text }) => text), ...texts];
    const keys = [...this.#accepted].flatMap(([key, id]) => (waiting.some((item) => item.id === id) ? [key] : []));
    const clientRequestIds = clientRequestId === undefined ? keys : [...keys, clientRequestId];
    this.held = false;
    const turnId = `trn_${number}`;
    this.stored.push(
      {
        id: `msg_user${number}`,
        role: 'user',
        metadata: { turnId, clientRequestIds, ...(taken.length > 1 && { messageCount: taken.length }) },
        parts: [{ type: 'text', text: coalesceTexts(taken) }],
      },
      { id: `msg_answer${number}`, role: 'assistant', metadata: { turnId, status: 'streaming' }, parts: [] },
    );
    this.#turn = { id: turnId, chunks: [], readers: new Set() };
    this.#publish({ type: 'start', messageId: `msg_answer${number}`, messageMetadata: { turnId } });
    if (taken.length > texts.length) this.#tellQueue();
    this.#reportStart(turnId, `msg_user${number}`, replaces);
  }

  #reportStart(turnId: string, messageId: string, replaces?: string): void {
    this.#turnState = { id: turnId, messageId, status: 'running', error: null };
    this.emit('turn:start', { turnId, messageId, ...(replaces !== undefined && { replaces }) });
  }

  say(text: string): void {
    const id = `txt_${String((this.#count += 1))}`;
    this.#answerMessage()?.parts.push({ type: 'text', text, state: 'done' });
    this.#publish({ type: 'text-start', id });
    this.#publish({ type: 'text-delta', id, delta: text });
    this.#publish({ type: 'text-end', id });
  }

  /** Takes what waits into the running turn, as the real server does between two steps. */
  drain(): void {
    const taken = this.queue.splice(0).map(({ text }) => text);
    const isSeveral = taken.length > 1;
    const steering = {
      type: 'steering-message' as const,
      id: `msg_steering${String((this.#count += 1))}`,
      parts: [
        {
          type: 'text' as const,
          text: coalesceTexts(taken),
          ...(isSeveral && { providerMetadata: { throughline: { messageCount: taken.length } } }),
        },
      ],
    };
    this.#answerMessage()?.parts.push(steering);
    this.#publish(steering);
    this.#tellQueue();
  }

  /** Ends the turn with these last words and starts the one of the waiting messages. */
  endTurn(text: string): void {
    this.say(text);
    this.#end('complete', 'completed');
    if (this.queue.length > 0) this.startTurn();
  }

  /** Ends the turn with a call that asks the user. */
  askFor(toolCallId: string): void {
    const call = { toolCallId, type: 'tool-delete_content' as const, input: { ref: 'pricing' } };
    this.#answerMessage()?.parts.push({ ...call, state: 'approval-requested', approval: { id: `apr_${toolCallId}` } });
    this.#publish({ type: 'tool-input-available', toolCallId, toolName: 'delete_content', input: call.input });
    this.#publish({ type: 'tool-approval-request', approvalId: `apr_${toolCallId}`, toolCallId });
    this.#end('complete', 'waiting_approval');
  }

  /** Breaks every connection that follows the turn; the turn continues. */
  breakStreams(): void {
    for (const reader of this.#turn?.readers ?? []) reader.error(new TypeError('network error'));
    this.#turn?.readers.clear();
  }

  /** Ends every connection that hears events, as a restart would. */
  dropListeners(): void {
    for (const listener of this.#listeners) listener.close();
    this.#listeners.clear();
  }

  #answer(request: string, body: ChatBody, init: RequestInit, query: string): Response | Promise<Response> {
    const id = /\/queue\/([^/]+)/.exec(request)?.[1];
    switch (request.replace(/que_\d+/, ':id')) {
      case 'GET /api/health':
        return new Response();
      case 'GET /api/sessions/ses_1':
        return Response.json({
          id: 'ses_1',
          currentlyCompacting: this.compactingSince !== null,
          compactingSince: this.compactingSince,
        });
      case 'POST /api/sessions/ses_1/compact':
        return Response.json(this.compactOutcome);
      case 'POST /api/sessions/ses_1/compact/cancel':
        return Response.json({ cancelled: this.compactingSince !== null });
      case 'GET /api/sessions/ses_1/messages':
        return Response.json({
          items: structuredClone(this.stored),
          nextCursor: null,
          newestEvent: this.#events.length,
        });
      case 'GET /api/sessions/ses_1/events':
        return this.#listen(
          Number(new Headers(init.headers).get('last-event-id') ?? this.#events.length),
          query.includes('snapshot=1'),
        );
      case 'POST /api/sessions/ses_1/approvals':
        return this.#decide(body.decisions);
      case 'GET /api/chat/ses_1/stream':
        return this.#stream();
      case 'POST /api/chat/ses_1/cancel':
        return this.#cancel();
      case 'POST /api/chat':
        return this.#send(body);
      case 'GET /api/message/queue':
        return Response.json(this.#queueData());
      case 'POST /api/message/queue':
        return Response.json(this.#accept(body), { status: 202 });
      case 'DELETE /api/message/queue':
        return this.#changeQueue(() => (this.queue = []));
      case 'POST /api/message/queue/send':
        this.startTurn();
        return Response.json({ started: true });
      case 'PATCH /api/message/queue/:id':
        return this.#changeQueue(() => {
          for (const item of this.queue) if (item.id === id) item.text = messageText(body.message);
        }, id);
      case 'DELETE /api/message/queue/:id':
        return this.#changeQueue(() => (this.queue = this.queue.filter((item) => item.id !== id)), id);
      case 'POST /api/message/queue/:id/send':
        return this.#changeQueue(() => (this.queue = this.queue.toSorted((a) => (a.id === id ? -1 : 1))), id);
      default:
        throw new Error(`The fake server does not know ${request}.`);
    }
  }

  #send(body: ChatBody): Response {
    if (body.replaces && !this.#supersede(body.replaces.messageId))
      return Response.json({ error: { code: 'conflict', message: 'It is not the newest.' } }, { status: 409 });
    const receipt = this.#accept(body);
    return receipt.queued ? Response.json(receipt, { status: 202 }) : this.#follow();
  }

  #supersede(messageId: string): boolean {
    const newest = this.stored.findLastIndex(({ role }) => role === 'user');
    if (this.#turn || this.stored[newest]?.id !== messageId) return false;
    this.stored.splice(newest);
    return true;
  }

  /** Answers a repeated message with the outcome of the first one. */
  #accept({ message, clientRequestId, replaces }: ChatBody) {
    const text = messageText(message);
    this.sent.push({ id: clientRequestId, text });
    const id = this.#accepted.get(clientRequestId) ?? this.#take(text, clientRequestId, replaces?.messageId);
    this.#accepted.set(clientRequestId, id);
    const position = this.queue.findIndex((item) => item.id === id) + 1;
    return { queued: position > 0, position, id };
  }

  #take(text: string, clientRequestId: string, replaces?: string): string {
    if (!this.#turn) {
      this.#startTurn([text], clientRequestId, replaces);
      return `msg_user${String(this.#count)}`;
    }
    const id = `que_${String((this.#count += 1))}`;
    this.queue.push({ id, text, files: [], createdAt: this.#count });
    this.#tellQueue();
    return id;
  }

  #cancel(): Response {
    this.held = this.queue.length > 0;
    const persisted = this.#turn ? 'partial_assistant' : null;
    if (this.#turn && this.stopsSlowly) return Response.json({ cancelled: false, persisted });
    if (this.#turn) this.#end('interrupted', 'cancelled');
    this.#tellQueue();
    return Response.json({ cancelled: true, persisted });
  }

  #decide(decisions: readonly ApprovalDecision[]): Response {
    const waiting = this.#answerMessage()?.parts.find((part) => 'state' in part && part.state === 'approval-requested');
    if (!waiting) return Response.json({ error: { code: 'conflict', message: 'Already decided.' } }, { status: 409 });
    this.decisions.push(...decisions);
    const answer = this.#answerMessage();
    if (answer) {
      answer.parts = answer.parts.filter((part) => part !== waiting);
      answer.metadata = { ...answer.metadata, status: 'streaming' };
      const turnId = answer.metadata.turnId ?? '';
      this.#turn = { id: turnId, chunks: [], readers: new Set() };
      this.#publish({ type: 'start', messageId: answer.id, messageMetadata: { turnId } });
      this.#reportStart(turnId, answer.id);
    }
    return Response.json({ pending: 0, resumed: true });
  }

  #changeQueue(change: () => unknown, id?: string): Response {
    if (id !== undefined && !this.queue.some((item) => item.id === id)) {
      return Response.json({ error: { code: 'not_found', message: 'No such message.' } }, { status: 404 });
    }
    change();
    if (this.queue.length === 0) this.held = false;
    this.#tellQueue();
    return Response.json({ started: false });
  }

  #end(status: 'complete' | 'interrupted', turnStatus: SessionEventData['turn:end']['status']): void {
    const turn = this.#turn;
    const answer = this.#answerMessage();
    const finishReason = turnStatus === 'cancelled' ? { finishReason: 'cancelled' } : {};
    if (answer) answer.metadata = { ...answer.metadata, status, ...finishReason };
    this.#publish({ type: 'finish', messageMetadata: { status, ...finishReason } });
    this.#turn = null;
    for (const reader of turn?.readers ?? []) reader.close();
    if (!turn) return;
    if (this.#turnState?.id === turn.id) this.#turnState = { ...this.#turnState, status: turnStatus };
    this.emit('turn:end', { turnId: turn.id, status: turnStatus, error: null });
  }

  #answerMessage(): ChatMessage | undefined {
    return this.stored.findLast(({ role }) => role === 'assistant');
  }

  #queueData() {
    return { items: structuredClone(this.queue), held: this.held };
  }

  #tellQueue(): void {
    this.emit('queue:changed', this.#queueData());
  }

  #publish(chunk: object): void {
    this.#turn?.chunks.push(chunk);
    for (const reader of this.#turn?.readers ?? []) reader.enqueue(encode(chunk));
  }

  #stream(): Response {
    if (this.endsBeforeFollow !== null) {
      const words = this.endsBeforeFollow;
      this.endsBeforeFollow = null;
      this.endTurn(words);
    }
    return this.#turn ? this.#follow() : new Response(null, { status: 204 });
  }

  /** The stream of the running turn; of one that is over only the end. */
  #follow(): Response {
    const turn = this.#turn;
    if (!turn) return new Response(encode({ type: 'finish' }), EVENT_STREAM);
    let own: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        for (const chunk of turn.chunks) controller.enqueue(encode(chunk));
        turn.readers.add(controller);
      },
      cancel: () => void turn.readers.delete(own),
    });
    return new Response(body, EVENT_STREAM);
  }

  get #snapshot(): ConversationState {
    return {
      messages: asSent(this.stored),
      nextCursor: null,
      turn: this.#turnState,
      queue: this.#queueData(),
      approvals: [],
      compactingSince: this.compactingSince,
      context: null,
    };
  }

  /** The event in its present form, with its messages. */
  #frameOf({ id, name, data }: StoredEvent): Uint8Array {
    const turnId = 'turnId' in data ? data.turnId : null;
    const role = name === 'turn:start' ? 'user' : 'assistant';
    const messages = this.stored.filter((message) => message.metadata?.turnId === turnId && message.role === role);
    const carried = turnId === null ? data : { ...data, messages: asSent(messages) };
    return new TextEncoder().encode(`id: ${String(id)}\nevent: ${name}\ndata: ${JSON.stringify(carried)}\n\n`);
  }

  #listen(afterId: number, startsWithSnapshot: boolean): Response {
    const listeners = this.#listeners;
    let own: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        // From where to go on after a lost connection, also when nothing has been heard.
        controller.enqueue(new TextEncoder().encode(`id: ${String(afterId)}\n\n`));
        const newest = { id: this.#events.length, name: 'snapshot', data: this.#snapshot } as const;
        if (startsWithSnapshot) controller.enqueue(this.#frameOf(newest));
        else for (const event of this.#events) if (event.id > afterId) controller.enqueue(this.#frameOf(event));
        listeners.add(controller);
      },
      cancel: () => void listeners.delete(own),
    });
    return new Response(body, EVENT_STREAM);
  }
}

const asSent = (messages: readonly ChatMessage[]) => messages as unknown as UiMessage[];

const encode = (chunk: object) => new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
