import type { UIMessageChunk } from 'ai';
import { NotFoundError } from '#server/core/errors';
import { DEFAULT_SESSION_TITLE, type NewMessage, type Session, type Turn } from '#server/core/messages';
import { oneLine } from '#server/context/excerpt';
import { withTokens } from '#server/context/part-tokens';
import { requireRoom } from '#server/context/require-room';
import { contextRequest } from '#server/agent/session-context';
import { type TurnDependencies, type TurnEnd, TurnExecutor } from '#server/agent/turn-executor';
import { TurnStreams, type TurnStream } from '#server/agent/turn-stream';
import type { SessionStore, TurnStore } from '#server/agent/turn-store';

/** A turn whose process died is settled this long after its last sign of life; milliseconds. */
const LEASE_MS = 4_000;
const HEARTBEAT_MS = 1_000;
/** How often dead turns and forgotten queues are looked for; milliseconds. */
const SWEEP_MS = 1_000;
/** Length of the title that the first request gives a session. */
const TITLE_CHARS = 60;

export interface TurnServiceDependencies {
  readonly turns: TurnStore;
  readonly sessions: SessionStore;
  readonly executor: TurnDependencies;
  /** Names this process in leases. */
  readonly leaseOwner: string;
  /** Told of faults that no user sees. */
  readonly onFault: (message: string, error: unknown) => void;
}

export interface SendRequest {
  readonly session: Session;
  /** What the user wrote, part by part. */
  readonly texts: readonly string[];
  readonly modelId: string | null;
  readonly clientRequestId: string | null;
}

export type SendOutcome =
  | { readonly kind: 'started'; readonly stream: ReadableStream<UIMessageChunk> }
  | { readonly kind: 'queued'; readonly id: string; readonly position: number };

/**
 * Starts turns and keeps them going without their request: a turn ends when it is done, not when the browser leaves.
 * The database decides who runs what; this class holds only what runs in this process.
 */
export class TurnService {
  readonly #deps: TurnServiceDependencies;
  readonly #streams = new TurnStreams();
  readonly #running = new Map<string, Promise<void>>();
  readonly #background = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #sweeper: NodeJS.Timeout | null = null;

  constructor(dependencies: TurnServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Stores the message and starts its turn, or queues it behind the running one.
   * @throws UnknownModelError, TooLargeError (no context could ever hold it) before anything is stored
   */
  async send({ session, texts, modelId, clientRequestId }: SendRequest): Promise<SendOutcome> {
    const { id } = this.#deps.executor.sources.models.resolve(modelId ?? session.modelId);
    const message = userMessage(texts);
    const { sources } = this.#deps.executor;
    requireRoom([message], contextRequest(sources, session, id).target, sources.settings());
    const outcome = await this.#deps.turns.begin({
      ...this.#lease(),
      sessionId: session.id,
      message,
      modelId,
      clientRequestId,
    });
    if (outcome.kind === 'queued') return { kind: 'queued', id: outcome.item.id, position: outcome.position };
    if (outcome.kind === 'repeated') {
      if (outcome.queued) return { kind: 'queued', ...outcome.queued };
      return { kind: 'started', stream: this.follow(session.id) ?? endedStream() };
    }
    const stream = this.#start(outcome.turn, session, modelId).follow();
    if (session.title === DEFAULT_SESSION_TITLE) {
      await this.#deps.sessions.update(session.id, { title: oneLine(texts.join(' '), TITLE_CHARS) });
    }
    return { kind: 'started', stream };
  }

  /** The running turn's stream from its start on; null when none runs in this process. */
  follow(sessionId: string): ReadableStream<UIMessageChunk> | null {
    return this.#streams.find(sessionId)?.follow() ?? null;
  }

  /** Settles what dead processes left, now and periodically, and starts queues that wait for nobody. */
  async start(): Promise<void> {
    await this.#sweep();
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
  }

  /** Waits until no turn runs in this process and no summary is being prepared. */
  async idle(): Promise<void> {
    while (this.#running.size + this.#background.size > 0) {
      await Promise.all([...this.#running.values(), ...this.#background]);
    }
  }

  /** Stops looking for work, gives up what nobody waits for, and waits for the turns of this process. */
  async close(): Promise<void> {
    if (this.#sweeper) clearInterval(this.#sweeper);
    this.#sweeper = null;
    this.#closing.abort();
    await this.idle();
  }

  #lease() {
    return { leaseOwner: this.#deps.leaseOwner, leaseMs: LEASE_MS };
  }

  #start(turn: Turn, session: Session, modelId: string | null): TurnStream {
    const stream = this.#streams.open(session.id);
    const done = this.#run(turn, session, modelId, stream)
      .catch((error: unknown) => {
        // Its session was deleted meanwhile: nothing is left to recover.
        if (!(error instanceof NotFoundError)) this.#deps.onFault(`Turn ${turn.id} was left to recovery`, error);
      })
      .finally(() => {
        this.#running.delete(turn.id);
        this.#streams.close(session.id, stream);
      });
    this.#running.set(turn.id, done);
    return stream;
  }

  async #run(turn: Turn, session: Session, modelId: string | null, stream: TurnStream): Promise<void> {
    const publish = (chunk: UIMessageChunk) => stream.publish(chunk);
    const end = await this.#execute(turn, session, modelId, publish);
    await this.#deps.turns.finish(turn.id, end);
    await this.#startQueued(session.id);
    publish({ type: 'finish', messageMetadata: { status: end.status === 'failed' ? 'failed' : 'complete' } });
    if (end.status === 'completed') this.#prepareSummary(session, modelId);
  }

  /** Nobody waits for it, the next turn neither: what is not ready when it is needed is written then. */
  #prepareSummary(session: Session, modelId: string | null): void {
    const { context, sources } = this.#deps.executor;
    const { signal } = this.#closing;
    if (signal.aborted || !sources.settings().backgroundSummaries) return;
    const { id } = sources.models.resolve(modelId ?? session.modelId);
    const done = context
      .prepareSummary(contextRequest(sources, session, id, { signal }))
      .catch((error: unknown) => {
        const isOver = signal.aborted || error instanceof NotFoundError;
        if (!isOver) this.#deps.onFault(`The next summary of ${session.id} could not be prepared`, error);
      })
      .finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  async #execute(
    turn: Turn,
    session: Session,
    modelId: string | null,
    publish: (chunk: UIMessageChunk) => void,
  ): Promise<TurnEnd> {
    const lost = new AbortController();
    const heartbeat = setInterval(() => void this.#renew(turn, lost), HEARTBEAT_MS);
    try {
      const input = { turn, session, modelId, publish, signal: lost.signal };
      return await new TurnExecutor(this.#deps.executor, input).run();
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #renew(turn: Turn, lost: AbortController): Promise<void> {
    try {
      const ours = await this.#deps.turns.renew(turn.id, this.#deps.leaseOwner, LEASE_MS);
      if (!ours) lost.abort(new Error('Another process has taken this turn over.'));
    } catch (error) {
      this.#deps.onFault(`The lease of turn ${turn.id} could not be renewed`, error);
    }
  }

  async #startQueued(sessionId: string): Promise<void> {
    const next = await this.#deps.turns.beginQueued(sessionId, this.#lease());
    if (next) this.#start(next.turn, await this.#deps.sessions.get(sessionId), next.modelId);
  }

  async #sweep(): Promise<void> {
    try {
      const dead = (await this.#deps.turns.expired()).filter((turn) => !this.#running.has(turn.id));
      for (const turn of dead) await this.#deps.turns.settle(turn.id);
      for (const sessionId of await this.#deps.turns.sessionsWithQueue()) await this.#startQueued(sessionId);
    } catch (error) {
      this.#deps.onFault('Looking for unfinished turns failed', error);
    }
  }
}

function userMessage(texts: readonly string[]): NewMessage {
  return { role: 'user', parts: texts.map((text) => withTokens({ type: 'text', content: { text } })) };
}

/** For a repeated request whose turn has ended: nothing more comes, the store has it all. */
function endedStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'finish' });
      controller.close();
    },
  });
}
