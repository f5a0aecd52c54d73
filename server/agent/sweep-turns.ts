import { type Signals, turnTopic } from '#server/core/signals';
import type { TurnStore } from '#server/core/turn-store';
import type { Turn } from '#server/core/turns';
import type { BackgroundWork } from '#server/agent/background-work';
import type { RunningTurns } from '#server/agent/running-turns';
import type { TurnNews } from '#server/agent/turn-news';

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
