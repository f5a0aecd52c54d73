import type { ModelMessage } from 'ai';
import type { Figures, Result, Share } from '#tests/bench/context/bench-report';
import { messageOf } from '#components/api/api-error.ts';
import type { Approach, World } from '#tests/bench/context/approach';
import { createMessageCounter } from '#tests/bench/context/count-messages';
import { namesInView, wordsInView } from '#tests/bench/context/in-view';
import { knownShare, measureEnd } from '#tests/bench/context/measure';
import { scriptedSummary } from '#tests/bench/context/scripted-summarizer';
import { type Transcript, stepsOf } from '#tests/bench/context/transcript';
import { StepWatch } from '#tests/bench/context/watch-steps';

/** Tokens for the model's answer: as many, and no more than a quarter of the window. */
const OUTPUT_TOKENS = 4_096;
const MOST_OUTPUT_SHARE = 0.25;
/** Steps at even distances, the last one among them, at which it is looked how much is known. */
const LOOKS = 20;

/** Replays a transcript through an approach, one step after the other. What it throws is in the result. */
export async function replay(approach: Approach, transcript: Transcript, contextWindow: number): Promise<Result> {
  const { name, source, isOurs, setup } = approach;
  const about = { approach: name, source, isOurs, setup, transcript: transcript.name, contextWindow };
  try {
    return { ...about, figures: await measured(approach, transcript, contextWindow), error: null };
  } catch (error) {
    return { ...about, figures: null, error: messageOf(error) };
  }
}

async function measured(approach: Approach, transcript: Transcript, contextWindow: number): Promise<Figures> {
  let modelCalls = 0;
  let until = 0;
  const world: World = {
    contextWindow,
    maxOutputTokens: Math.min(OUTPUT_TOKENS, Math.floor(contextWindow * MOST_OUTPUT_SHARE)),
    count: createMessageCounter(),
    summarize(prompt, maxTokens) {
      modelCalls += 1;
      return Promise.resolve(scriptedSummary(prompt, maxTokens));
    },
    journal: () => transcript.journalAt?.(until) ?? [],
  };
  // Its own counter: what is counted to measure must not be counted already when an approach asks.
  const watch = new StepWatch({ ...world, count: createMessageCounter() });
  const run = await approach.open(world);
  try {
    let sent: readonly ModelMessage[] = [];
    const steps = stepsOf(transcript.messages);
    const looks: Look[] = [];
    for (const [index, step] of steps.entries()) {
      ({ until } = step);
      const { value, ms } = await timed(() => run.step(step.added));
      sent = value;
      const history = transcript.messages.slice(0, until);
      watch.see(history, sent, ms);
      if (isLook(index + 1, steps.length)) looks.push(lookAt(history, sent, world));
    }
    const end = await measureEnd(transcript.messages.slice(0, until), sent, run.recall);
    const means = {
      knownMean: mean(looks, 'known'),
      userWordsMean: mean(looks, 'words'),
      callNamesMean: mean(looks, 'names'),
      tokensMean: Math.round(mean(looks, 'tokens')),
    };
    return { ...end, ...means, ...watch.figures(), tokensAfter: world.count(sent), modelCalls };
  } finally {
    await run.close();
  }
}

interface Look {
  readonly known: number;
  readonly words: number;
  readonly names: number;
  readonly tokens: number;
}

function lookAt(history: readonly ModelMessage[], sent: readonly ModelMessage[], world: World): Look {
  const of = ({ kept, of: all }: Share) => (all === 0 ? 1 : kept / all);
  return {
    known: knownShare(history, sent),
    words: of(wordsInView(history, sent)),
    names: of(namesInView(history, sent)),
    tokens: world.count(sent),
  };
}

/** Of fewer steps every one is looked at. */
function isLook(step: number, steps: number): boolean {
  return Math.floor((step * LOOKS) / steps) > Math.floor(((step - 1) * LOOKS) / steps);
}

function mean(looks: readonly Look[], key: keyof Look): number {
  return looks.reduce((sum, look) => sum + look[key], 0) / Math.max(1, looks.length);
}

/** Milliseconds of processor time, of this process and all its threads. */
async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(start);
  return { value, ms: (user + system) / 1_000 };
}
