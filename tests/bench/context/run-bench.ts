import type { BenchReport, Result } from '#tests/bench/context/bench-report';
import type { Approach } from '#tests/bench/context/approach';
import { chooseWindows } from '#tests/bench/context/choose-windows';
import { createMessageCounter } from '#tests/bench/context/count-messages';
import { replay } from '#tests/bench/context/replay';
import { type Transcript, stepsOf } from '#tests/bench/context/transcript';
import { findWorse } from '#tests/bench/context/worse';
import { machine } from '#tests/bench/support/circumstances';

export interface BenchOrder {
  readonly approaches: readonly Approach[];
  readonly transcripts: readonly Transcript[];
  /** For all transcripts; default: those in which each overflows several times. */
  readonly contextWindow?: number | undefined;
  /** As it was typed. */
  readonly command: string;
  /** Told what is done now, one line each. */
  readonly tell: (line: string) => void;
}

/** Every approach on every transcript in its windows, one after the other, so that none takes time from another. */
export async function runBench({
  approaches,
  transcripts,
  contextWindow,
  command,
  tell,
}: BenchOrder): Promise<BenchReport> {
  const count = createMessageCounter();
  const jobs = transcripts.flatMap((transcript) => {
    const tokens = count(transcript.messages);
    const windows = contextWindow === undefined ? (transcript.windows ?? chooseWindows(tokens)) : [contextWindow];
    return windows.map((window) => ({ transcript, tokens, window }));
  });
  await warmUp(approaches, jobs.toSorted((a, b) => a.tokens - b.tokens)[0], tell);
  const results: Result[] = [];
  for (const { transcript, window } of jobs) {
    for (const approach of approaches) {
      tell(`${transcript.name} in ${window.toLocaleString('en-US')} tokens: ${approach.name}`);
      results.push(await replay(approach, transcript, window));
    }
  }
  return {
    date: new Date().toISOString(),
    command,
    machine: { ...machine(), node: process.version },
    transcripts: jobs.map(({ transcript, tokens, window }) => ({
      name: transcript.name,
      from: transcript.from,
      messages: transcript.messages.length,
      tokens,
      steps: stepsOf(transcript.messages).length,
      contextWindow: window,
    })),
    results,
    worse: findWorse(results),
  };
}

/** What is loaded and compiled at the first call is no cost of a step. */
async function warmUp(
  approaches: readonly Approach[],
  job: { readonly transcript: Transcript; readonly window: number } | undefined,
  tell: (line: string) => void,
): Promise<void> {
  if (!job) return;
  tell(`Warming up on ${job.transcript.name}`);
  for (const approach of approaches) await replay(approach, job.transcript, job.window);
}
