import { type BackgroundWork, repeat, type Repetition } from '#server/conversation/turn/background-work';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { RunningTurns } from '#server/conversation/turn/running-turns';
import type { TurnEvents } from '#server/conversation/events/turn-events';
import { cancelTopic } from '#server/core/conversation/events';
import type { Turn } from '#server/core/conversation/turns';

/**
 * Interval of the search for dead turns, forgotten queues and the like; milliseconds. A choice: short beside the lease of a
 * turn (15 s), and one statement for a database server to answer.
 */
const SWEEP_MS = 2_000;

/** Renews the leases of running turns, settles the unfinished work of dead processes, and starts forgotten queues. */
export class TurnRecovery {
  readonly #context: ConversationContext;
  readonly #running: RunningTurns;
  readonly #background: BackgroundWork;
  readonly #news: TurnEvents;
  #sweeping: Repetition | null = null;
  #heartbeat: Repetition | null = null;

  constructor(context: ConversationContext, running: RunningTurns, background: BackgroundWork, news: TurnEvents) {
    this.#context = context;
    this.#running = running;
    this.#background = background;
    this.#news = news;
  }

  /** Sweeps once, then periodically. */
  async start(): Promise<void> {
    this.#heartbeat = repeat(() => this.#running.renew(), this.#context.env.TURN_HEARTBEAT_MS);
    await this.#sweep();
    this.#sweeping = repeat(() => this.#sweep(), SWEEP_MS);
  }

  /** Stops the search; leases are renewed until `stop`. */
  async stopSweeping(): Promise<void> {
    await this.#sweeping?.stop();
  }

  async stop(): Promise<void> {
    await this.#heartbeat?.stop();
  }

  /**
   * Stops the turns that were started with an API key that is no longer valid, and holds queued messages that were sent
   * with one.
   */
  async endLapsedKeyWork(): Promise<void> {
    const { turns, signals } = this.#context;
    for (const work of await turns.endLapsedKeyWork()) {
      if (work.turnId !== null) {
        this.#running.cancelTurn(work.turnId);
        signals.notify(cancelTopic(work.sessionId));
      }
      this.#news.queueChanged(work.sessionId);
      void this.#context.audit.recordEndedKeyWork(work);
    }
  }

  /** A failure in one session does not delay other sessions. */
  async #sweep(): Promise<void> {
    const { turns } = this.#context;
    const background = this.#background;
    await background.attempt('Work that others have left could not be looked for', async () => {
      const left = await turns.leftWork();
      const end = async (isLeft: boolean, failure: string, work: () => Promise<unknown>) => {
        if (isLeft) await background.attempt(failure, work);
      };
      await end(left.ofKeys, 'Work of ended API keys could not be ended', () => this.endLapsedKeyWork());
      await end(left.turns, 'Dead turns could not be settled', () => this.#settleDead());
      await end(left.compactions, 'Dead compactions could not be released', () => turns.releaseDeadCompactions());
      // Read again: a turn that was settled may have left a queue.
      const hasQueues = left.queues || left.turns || left.compactions;
      await end(hasQueues, 'Forgotten queues could not be started', () => this.#startForgotten());
    });
  }

  async #settleDead(): Promise<void> {
    const dead = (await this.#context.turns.expired()).filter((turn) => !this.#running.has(turn.id));
    for (const turn of dead)
      await this.#background.attempt(`Turn ${turn.id} could not be settled`, () => this.#settle(turn));
  }

  async #settle(turn: Turn): Promise<void> {
    const { settled } = await this.#context.turns.settle(turn.id);
    if (!settled) return;
    const status = turn.cancelRequestedAt === null ? 'interrupted' : 'cancelled';
    this.#news.settled(turn, { status, error: null });
  }

  /**
   * Starts queues that no turn will start. A turn that ends in this process starts its queue itself, before its readers
   * receive the end.
   */
  async #startForgotten(): Promise<void> {
    const waiting = await this.#context.turns.sessionsWithQueue();
    for (const sessionId of waiting.filter((id) => !this.#running.isFollowed(id)))
      await this.#background.attempt(`What waits in ${sessionId} could not be started`, () =>
        this.#running.startQueued(sessionId),
      );
  }
}
