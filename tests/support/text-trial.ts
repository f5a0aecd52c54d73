import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { HurtfulText } from '#tests/support/hurtful-texts';
import type { TrialCost } from '#tests/support/text-trial-worker';

/**
 * Maximum cost of a text in any operation: so many times the cost of a usual text, measured in the same process.
 * Three times are 2 seconds where this was written; the worst text takes 1.3 times, and what broke parsers took
 * minutes.
 */
const MOST_TIMES_USUAL = 3;
const MOST_HEAP = 200 * 1024 * 1024;

/** The process's own heap may grow to a bit more: one that needs much more ends, and is no trial. */
const HEAP_LIMIT_MB = 320;
/** Of a machine that does other things too. */
const PATIENCE_MS = 120_000;

/** A separate process in which texts are rendered, imported and edited; disposing ends it. */
export function startTrials() {
  const start = () =>
    fork('tests/support/text-trial-worker.ts', [], { execArgv: [`--max-old-space-size=${HEAP_LIMIT_MB}`] });
  let child = start();

  /** @throws where the process ended, or went on for longer than anybody waits */
  async function costs(text: HurtfulText): Promise<readonly TrialCost[]> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const until = async (event: string) => (await once(child, event, { signal }).catch(() => [null]))[0];
    const answered = until('message');
    const ended = until('exit');
    child.send(text);
    const answer: unknown = await Promise.race([answered, ended.then(() => null)]);
    waiting.abort();
    if (Array.isArray(answer)) return answer;
    child.kill('SIGKILL');
    child = start();
    throw new Error(`${text.kind} ${text.name}: no answer within ${PATIENCE_MS / 1_000} s and ${HEAP_LIMIT_MB} MB`);
  }

  return { costs, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

/** What a text cost beyond the bounds; empty where it kept to them. */
export function beyondBounds(text: HurtfulText, costs: readonly TrialCost[]): string[] {
  return costs
    .filter(({ cpu, usualCpu, heap }) => cpu > MOST_TIMES_USUAL * usualCpu || heap > MOST_HEAP)
    .map(
      ({ step, cpu, usualCpu, heap }) =>
        `${step} ${text.kind} ${text.name}: ${(cpu / usualCpu).toFixed(1)} times as long as a usual text, ${Math.round(heap / 2 ** 20)} MB`,
    );
}
