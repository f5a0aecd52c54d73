import { z } from 'zod';

/*
 * What `npm run bench` reports: one JSON document, of which the table and docs/internals/benchmarks.md are made.
 */

export const needleKinds = ['id', 'number', 'path', 'url'] as const;
export type NeedleKind = (typeof needleKinds)[number];

/** So many of so many. */
const share = z.object({ kept: z.int(), of: z.int() });
export type Share = z.infer<typeof share>;

/** Reports of before have none of these. */
const newShare = share.default({ kept: 0, of: 0 });
const newMean = z.number().default(0);

/** What one approach did with one transcript in one window. */
const figures = z.object({
  /** Ids, numbers, paths and urls of what is no longer shown word for word, still in what the model is sent at the end. */
  retained: z.object({ id: share, number: share, path: share, url: share }),
  /** All needles of the whole transcript, in what is sent at the end: `of` is the same for every approach. */
  known: share,
  /** The same share of what was said so far, from 0 to 1: mean of 20 steps at even distances. */
  knownMean: z.number(),
  /** Share of the user's messages whose words are in the final request, and the mean of this share at the 20 steps. */
  userWords: newShare,
  userWordsMean: newMean,
  /** Of the user's messages that do not (of an even sample where they are many): found by one call of the recall tool. */
  userWordsFound: newShare,
  /** The names that the model wrote into the inputs of its calls, in the same way. */
  callNames: newShare,
  callNamesMean: newMean,
  /** As `retained`, of what was acted on: in user messages, tool inputs and results of writes. */
  actedOn: share,
  /** Of those that were lost (of an even sample where they are many): found by one call of the recall tool. */
  recallable: share,
  /** Over all steps: the newest request of the user is in the view verbatim. */
  latestRequest: share,
  firstRequest: z.boolean(),
  standingInstructions: share,
  /** Calls without a result or results without a call, over all steps, beyond those of the transcript itself. */
  orphans: z.int(),
  tokensAfter: z.int(),
  /** Mean of the same 20 steps. */
  tokensMean: z.int(),
  /** Steps that asked for more than the window holds. */
  timesOver: z.int(),
  steps: z.int(),
  /** Steps that changed what was sent before instead of only adding to it. */
  compactions: z.int(),
  modelCalls: z.int(),
  /** Tokens of all steps that were the same from the start as in the step before, of all tokens but the first step's. */
  unchangedPrefix: z.number(),
  /** Milliseconds of processor time per step, with storing what was said where the approach does: median, and the most. */
  cpu: z.object({ median: z.number(), most: z.number() }),
});
export type Figures = z.infer<typeof figures>;

const result = z.object({
  approach: z.string(),
  source: z.string(),
  isOurs: z.boolean(),
  setup: z.string(),
  transcript: z.string(),
  contextWindow: z.int(),
  /** Null when it failed; `error` says how. */
  figures: figures.nullable(),
  error: z.string().nullable(),
});
export type Result = z.infer<typeof result>;

const worse = z.object({
  figure: z.string(),
  transcript: z.string(),
  ours: z.string(),
  best: z.string(),
  peer: z.string(),
  why: z.string(),
});

/** The report of one run. */
export const benchReport = z.object({
  date: z.iso.datetime(),
  command: z.string(),
  machine: z.object({
    processor: z.string(),
    cores: z.int(),
    memoryGb: z.number(),
    system: z.string(),
    node: z.string(),
  }),
  transcripts: z.array(
    z.object({
      name: z.string(),
      from: z.string(),
      messages: z.int(),
      tokens: z.int(),
      steps: z.int(),
      contextWindow: z.int(),
    }),
  ),
  results: z.array(result),
  /** Every figure of our default strategy that is worse than the best peer's, and why that is so. */
  worse: z.array(worse),
});
export type BenchReport = z.infer<typeof benchReport>;
