import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { ModelMessage } from 'ai';
import { z } from 'zod';
import { projectPath } from '#scripts/lib/project';
import { countTokens } from '#server/context/tokens';
import { throughline } from '#tests/bench/context/approaches/throughline';
import { createMessageCounter } from '#tests/bench/context/count-messages';
import { partsOf } from '#tests/bench/context/message-parts';
import { readTranscripts } from '#tests/bench/context/read-transcripts';
import { scriptedSummary } from '#tests/bench/context/scripted-summarizer';
import { stepsOf, type Transcript } from '#tests/bench/context/transcript';

/*
 * What recorded sessions of real agents take of a model when our engine decides what each request holds, for the page on
 * costs. Every step of a recorded session is made again: the engine stores what came, prunes and compacts, and what it
 * would send is counted, instructions and tools with it.
 */

/** Tokens that a job or a session takes of a model. */
export interface Figures {
  readonly name: string;
  readonly calls: number;
  /** All that was sent, that of it which the request before had begun with, and all that came. */
  readonly sent: number;
  readonly repeated: number;
  readonly written: number;
}

const FOLDER = projectPath('tests/fixtures/transcripts');
const OUTPUT_TOKENS = 4_096;

/** Recorded sessions by their files, each with the windows that it is replayed in. */
const SESSIONS: readonly { readonly file: string; readonly about: string; readonly windows: readonly number[] }[] = [
  { file: 'coding-long', about: 'A long day of a programmer, 88 messages', windows: [200_000, 32_000] },
  { file: 'coding-files', about: 'A small program is written, 5 messages', windows: [200_000] },
  { file: 'coding-short', about: 'One error is found and mended, 1 message', windows: [200_000] },
];

/** @param fixed tokens of instructions and tools, which every request begins with */
export async function recordedSessions(fixed: number): Promise<Figures[]> {
  const transcripts = await readTranscripts(FOLDER);
  const all: Figures[] = [];
  for (const { file, about, windows } of SESSIONS) {
    const transcript = transcripts.find(({ name }) => name === file);
    if (!transcript) throw new Error(`There is no ${file}.`);
    for (const window of windows) {
      const name = `${about}, in a window of ${window.toLocaleString('en-US')}`;
      all.push({ name, ...(await replayed(transcript, window, fixed)) });
    }
  }
  return all;
}

async function replayed(
  { messages }: Transcript,
  contextWindow: number,
  fixed: number,
): Promise<Omit<Figures, 'name'>> {
  const [engine] = throughline;
  if (!engine) throw new Error('There is no strategy.');
  const count = createMessageCounter();
  const figures = { calls: 0, sent: 0, repeated: 0, written: 0 };
  const run = await engine.open({
    contextWindow: contextWindow - fixed,
    maxOutputTokens: OUTPUT_TOKENS,
    count,
    journal: () => [],
    summarize(prompt, maxTokens) {
      const summary = scriptedSummary(prompt, maxTokens);
      figures.calls += 1;
      figures.sent += countTokens(prompt);
      figures.written += countTokens(summary);
      return Promise.resolve(summary);
    },
  });
  try {
    let before: readonly string[] = [];
    for (const { added, until } of stepsOf(messages)) {
      const request = await run.step(added);
      const texts = request.map(serialized);
      const changed = texts.findIndex((text, index) => text !== before[index]);
      const same = request.slice(0, changed === -1 ? request.length : changed);
      figures.sent += fixed + count(request);
      if (figures.calls > 0) figures.repeated += fixed + count(same);
      figures.calls += 1;
      figures.written += count(messages.slice(until, until + 1));
      before = texts;
    }
    return figures;
  } finally {
    await run.close();
  }
}

const texts = new WeakMap<ModelMessage, string>();

function serialized(message: ModelMessage): string {
  const text = texts.get(message) ?? JSON.stringify([message.role, partsOf([message])]);
  texts.set(message, text);
  return text;
}

const recorded = z.object({
  usage: z.array(
    z.object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadTokens: z.number(),
      cacheWriteTokens: z.number(),
    }),
  ),
});

/** What the provider itself reported of the long session, in the program that it was recorded in. */
export function reportedSession(): Figures {
  const text = gunzipSync(readFileSync(`${FOLDER}/coding-long.json.gz`)).toString('utf8');
  const { usage } = recorded.parse(JSON.parse(text));
  const sum = (tokens: (each: (typeof usage)[number]) => number) => usage.reduce((so, each) => so + tokens(each), 0);
  const repeated = sum(({ cacheReadTokens }) => cacheReadTokens);
  return {
    name: 'The same day as its own provider reported it, in the program that it was recorded in',
    calls: usage.length,
    sent: repeated + sum(({ inputTokens, cacheWriteTokens }) => inputTokens + cacheWriteTokens),
    repeated,
    written: sum(({ outputTokens }) => outputTokens),
  };
}
