import { type BackgroundWork, repeat, type Repetition } from '#server/agent/background-work';
import type { RunningTurns } from '#server/agent/running-turns';
import type { TurnNews } from '#server/agent/turn-news';
import { cancelTopic, type Signals, turnTopic } from '#server/core/events';
import type { Turn } from '#server/core/turns';
import type { EndedKeyWork, TurnStore } from '#server/core/turn-store';

/** Interval of looking for dead turns and forgotten queues; milliseconds. */
const SWEEP_MS = 1_000;

export interface TurnUpkeepDependencies {
  readonly turns: TurnStore;
  readonly running: RunningTurns;
  readonly background: BackgroundWork;
  readonly news: TurnNews;
  readonly signals: Pick<Signals, 'notify'>;
  /** Interval between renewals of leases, milliseconds: several fit into one lease. */
  readonly heartbeatMs: number;
  /** Told of what was ended with an API key. */
  readonly onKeyWorkEnded?: ((work: EndedKeyWork) => void) | undefined;
}

/** Keeps the leases of running turns, settles what dead processes left, and starts queues that wait for nobody. */
export class TurnUpkeep {
  readonly #deps: TurnUpkeepDependencies;
  #sweeping: Repetition | null = null;
  #heartbeat: Repetition | null = null;

  constructor(dependencies: TurnUpkeepDependencies) {
    this.#deps = dependencies;
  }

  /** Sweeps once, then periodically. */
  async start(): Promise<void> {
    this.#heartbeat = repeat(() => this.#deps.running.renew(), this.#deps.heartbeatMs);
    await this.#sweep();
    this.#sweeping = repeat(() => this.#sweep(), SWEEP_MS);
  }

  /** Looks for nothing more; leases are renewed until `stop`. */
  async stopSweeping(): Promise<void> {
    await this.#sweeping?.stop();
  }

  async stop(): Promise<void> {
    await this.#heartbeat?.stop();
  }

  /** Stops the turns that were begun with an API key which has ended, and holds what was sent with one and waits. */
  async endLapsedKeyWork(): Promise<void> {
    const { turns, running, signals, news, onKeyWorkEnded } = this.#deps;
    for (const work of await turns.endLapsedKeyWork()) {
      if (work.turnId !== null) {
        running.cancelTurn(work.turnId);
        signals.notify(cancelTopic(work.sessionId));
      }
      news.queueChanged(work.sessionId);
      onKeyWorkEnded?.(work);
    }
  }

  /** A failure in one session keeps no other session waiting. */
  async #sweep(): Promise<void> {
    const { turns, background } = this.#deps;
    await background.attempt('Work of ended API keys could not be looked for', () => this.endLapsedKeyWork());
    await background.attempt('Dead turns could not be looked for', () => this.#settleDead());
    await background.attempt('Dead compactions could not be released', () => turns.releaseDeadCompactions());
    await background.attempt('Forgotten queues could not be looked for', () => this.#startForgotten());
  }

  async #settleDead(): Promise<void> {
    const { turns, running, background } = this.#deps;
    const dead = (await turns.expired()).filter((turn) => !running.has(turn.id));
    for (const turn of dead) await background.attempt(`Turn ${turn.id} could not be settled`, () => this.#settle(turn));
  }

  async #settle(turn: Turn): Promise<void> {
    const { turns, news, signals } = this.#deps;
    const { settled } = await turns.settle(turn.id);
    if (!settled) return;
    const status = turn.cancelRequestedAt === null ? 'interrupted' : 'cancelled';
    news.ended(turn, { status, error: null });
    signals.notify(turnTopic(turn.sessionId));
  }

  /** A turn that ends here starts what waits by itself, before its readers are told that it is over. */
  async #startForgotten(): Promise<void> {
    const { turns, running, background } = this.#deps;
    const waiting = (await turns.sessionsWithQueue()).filter((id) => !running.isFollowed(id));
    for (const sessionId of waiting)
      await background.attempt(`What waits in ${sessionId} could not be started`, () => running.startQueued(sessionId));
  }
}
