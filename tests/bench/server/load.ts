import type { LoadFigures, Spread } from '#tests/bench/server/report';
import { turn, type World } from '#tests/bench/server/world';
import { percentile } from '#tests/bench/support/figures';
import { processFigures } from '#tests/bench/support/process-figures';
import { newSession, type Timing } from '#tests/bench/support/stream-answer';

/** What the provider streams in a turn: 100 pieces without a pause, so that all that is left is the server's cost. */
export const LOAD_WORDS = 'stream 100 every 0';
const WARM_UP_TURNS = 60;

const spreadOf = (values: readonly number[]): Spread => ({
  p50: percentile(values, 0.5),
  p95: percentile(values, 0.95),
  p99: percentile(values, 0.99),
});

/** @param turns of each level, shared out among its sessions */
export async function measureLoad(
  world: World,
  levels: readonly number[],
  turns: number,
  tell: (line: string) => void,
): Promise<LoadFigures[]> {
  const server = await world.startServer(world.databaseFile('load'));
  await runTurns(server.url, 4, WARM_UP_TURNS / 4);
  const figures: LoadFigures[] = [];
  for (const sessions of levels) {
    tell(`load: ${sessions} sessions at once`);
    figures.push(await measureLevel(server, sessions, Math.max(1, Math.round(turns / sessions))));
  }
  await server.stop();
  return figures;
}

async function measureLevel(
  { url, pid }: { readonly url: string; readonly pid: number },
  sessions: number,
  turnsEach: number,
): Promise<LoadFigures> {
  const before = processFigures(pid);
  const startedAt = performance.now();
  const { timings, errors } = await runTurns(url, sessions, turnsEach);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = processFigures(pid);
  return {
    sessions,
    turns: timings.length,
    errors,
    turnsPerSecond: timings.length / seconds,
    firstToken: spreadOf(timings.map(({ first }) => first)),
    wholeTurn: spreadOf(timings.map(({ total }) => total)),
    memory: after.memory,
    peakMemory: after.peakMemory,
    cpuPerTurn: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / timings.length,
  };
}

async function runTurns(url: string, sessions: number, turnsEach: number) {
  const timings: Timing[] = [];
  let errors = 0;
  const runSession = async () => {
    const id = await newSession(url);
    for (let n = 0; n < turnsEach; n += 1) {
      try {
        timings.push(await turn(url, id, LOAD_WORDS));
      } catch (error) {
        errors += 1;
        process.stderr.write(`${String(error)}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: sessions }, runSession));
  return { timings, errors };
}
