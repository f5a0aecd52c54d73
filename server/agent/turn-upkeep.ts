import type { BackgroundWork } from '#server/agent/background-work';
import type { RunningTurns } from '#server/agent/running-turns';
import type { SessionEvents } from '#server/agent/session-events';
import type { TurnStream } from '#server/agent/turn-stream';
import { type Signals, turnTopic } from '#server/core/events';
import type { Message, Turn } from '#server/core/messages';
import type { TurnEnding, TurnStore } from '#server/core/turn-store';

interface SweepDependencies {
  readonly turns: Pick<TurnStore, 'expired' | 'settle' | 'releaseDeadCompactions' | 'sessionsWithQueue'>;
  readonly running: Pick<RunningTurns, 'has' | 'stream'>;
  readonly work: Pick<BackgroundWork, 'attempt'>;
  readonly news: Pick<TurnNews, 'ended'>;
  readonly signals: Pick<Signals, 'notify'>;
  /** Starts what waits, if nothing else has the session. */
  readonly startQueued: (sessionId: string) => Promise<unknown>;
  /** Stops and holds what was begun with a key that holds no more. */
  readonly endLapsedKeyWork: () => Promise<void>;
}

/**
 * Settles what dead processes left, and starts queues that wait for nobody. What is broken in one session keeps no other
 * one waiting.
 */
export async function sweepTurns(deps: SweepDependencies): Promise<void> {
  const { turns, work } = deps;
  await work.attempt('Work of ended API keys could not be looked for', deps.endLapsedKeyWork);
  await work.attempt('Dead turns could not be looked for', () => settleDead(deps));
  await work.attempt('Dead compactions could not be released', () => turns.releaseDeadCompactions());
  await work.attempt('Forgotten queues could not be looked for', () => startForgotten(deps));
}

async function settleDead(deps: SweepDependencies): Promise<void> {
  const { turns, running, work } = deps;
  const dead = (await turns.expired()).filter((turn) => !running.has(turn.id));
  for (const turn of dead) await work.attempt(`Turn ${turn.id} could not be settled`, () => settle(turn, deps));
}

async function settle(turn: Turn, { turns, news, signals }: SweepDependencies): Promise<void> {
  const { settled } = await turns.settle(turn.id);
  if (!settled) return;
  const status = turn.cancelRequestedAt === null ? 'interrupted' : 'cancelled';
  news.ended(turn, { status, error: null });
  signals.notify(turnTopic(turn.sessionId));
}

/** A turn that ends here starts what waits by itself, before its readers are told that it is over. */
async function startForgotten({ turns, running, work, startQueued }: SweepDependencies): Promise<void> {
  const waiting = (await turns.sessionsWithQueue()).filter((id) => running.stream(id) === null);
  for (const sessionId of waiting)
    await work.attempt(`What waits in ${sessionId} could not be started`, () => startQueued(sessionId));
}

interface NewsDependencies {
  readonly events: Pick<SessionEvents, 'emit' | 'emitQueue'>;
  /** The stream of the session's turn that runs in this process. */
  readonly streamOf: (sessionId: string) => TurnStream | null;
}

/** Tells whoever follows a session what becomes of its turns and of its queue. Never waits and never throws. */
export class TurnNews {
  readonly #deps: NewsDependencies;

  constructor(dependencies: NewsDependencies) {
    this.#deps = dependencies;
  }

  started({ id: turnId, sessionId, userMessageId: messageId }: Turn): void {
    this.#deps.events.emit(sessionId, 'turn:start', { turnId, messageId });
  }

  ended({ id: turnId, sessionId }: Turn, { status, error }: TurnEnding): void {
    this.#deps.events.emit(sessionId, 'turn:end', { turnId, status, error });
  }

  queued(sessionId: string, id: string, position: number): void {
    this.#deps.events.emit(sessionId, 'message:queued', { id, position });
    this.queueChanged(sessionId);
  }

  dequeued({ sessionId, metadata }: Message, ids: readonly string[]): void {
    const data = { count: ids.length, ids, coalesced: metadata !== null };
    this.#deps.events.emit(sessionId, 'message:dequeued', data);
    this.queueChanged(sessionId);
  }

  /** To everybody who follows the session, and in its running turn's stream. */
  queueChanged(sessionId: string): void {
    this.#deps.events.emitQueue(sessionId, (data) =>
      this.#deps.streamOf(sessionId)?.publish({ type: 'data-queue', data, transient: true }),
    );
  }
}
