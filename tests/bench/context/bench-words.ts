import type { BenchColumnKey } from '#tests/bench/context/bench-columns';
import type { BenchReport, NeedleKind } from '#tests/bench/context/bench-report';

const number = new Intl.NumberFormat('en-US');

/** What a figure is called in a table, and what it means in a sentence. */
const columns: Record<BenchColumnKey, { readonly name: string; readonly short: string; readonly means: string }> = {
  known: {
    name: 'Known at the end',
    short: 'known',
    means:
      'Of all ids, numbers, paths and addresses of the whole conversation: how many are in what the model is sent at the end. It is of the same for everybody.',
  },
  knownMean: {
    name: 'Known on average',
    short: 'mean',
    means:
      'The same at 20 steps at even distances, each of what was said until then: the end alone depends on where the last compaction fell.',
  },
  userWords: {
    name: 'User’s messages in view',
    short: 'words',
    means:
      'Of the user’s messages until then: how many stand in what the model is sent, at the end / on average of the 20 steps. All their words, in order, whatever stands between them (marks, line breaks), in a message of the user’s or the system’s side, where everybody’s summaries are; or an excerpt of the first 20 and the last 10 words with the id for reading the whole between them. What was said several times has to stand there as often.',
  },
  userWordsFound: {
    name: 'Words found again',
    short: 'w. found',
    means:
      'Of the user’s messages that do not stand there at the end: how many one call of the approach’s own tool for reading earlier messages finds, asked with six of their longest words. None where there is no such tool.',
  },
  callNames: {
    name: 'Names from calls in view',
    short: 'names',
    means:
      'Of the names that the model itself wrote into the inputs of its calls: how many stand anywhere in what it is sent, at the end / on average. Names are ids, paths and addresses by their form, words spelt like code, and values of a single word; of each input text the first 4,000 characters are read, contents of files included.',
  },
  retained: {
    name: 'Kept of the compacted',
    short: 'kept',
    means:
      'Of the facts in messages that are no longer shown word for word: how many are still in what the model is sent at the end, be it in a summary, a note or another message.',
  },
  actedOn: {
    name: 'Acted on, kept',
    short: 'acted on',
    means:
      'The same for the facts that matter most: those in the user’s messages, in the inputs of tools, and in the results of tools that changed something.',
  },
  recallable: {
    name: 'Found again',
    short: 'recall',
    means:
      'Of the facts that were lost: how many one call of the approach’s own tool for reading earlier messages finds (of an even sample where they are many). None where there is no such tool.',
  },
  latestRequest: {
    name: 'Latest request',
    short: 'latest',
    means: 'In how many steps the newest message of the user was there word for word.',
  },
  firstRequest: {
    name: 'First request',
    short: 'first',
    means:
      'Whether the user’s first message is still there at the end, word for word. Throughline shows one that is longer than a twentieth of what is usable as an excerpt.',
  },
  standingInstructions: {
    name: 'Lasting wishes',
    short: 'wishes',
    means:
      'How many of the user’s wishes that hold for the whole conversation (“always …”, “never …”) are still there.',
  },
  orphans: {
    name: 'Orphans',
    short: 'orphans',
    means:
      'Tool calls without their result, and results without their call, which providers refuse: over all steps, beyond those of the transcript itself.',
  },
  tokensAfter: {
    name: 'Tokens at the end',
    short: 'tokens',
    means:
      'How long the last request is. Neither long nor short is good by itself; what it holds is in the other columns.',
  },
  tokensMean: {
    name: 'Tokens on average',
    short: 'mean tok.',
    means: 'The same at the 20 steps of “Known on average”.',
  },
  timesOver: {
    name: 'Over the window',
    short: 'over',
    means:
      'Steps whose request did not fit the window beside the room for the answer (4,096 tokens, a quarter of the window at most). A provider refuses it, and the conversation stands still.',
  },
  compactions: {
    name: 'Compactions',
    short: 'compact.',
    means: 'How often older messages were replaced.',
  },
  modelCalls: {
    name: 'Model calls',
    short: 'calls',
    means: 'Calls of a model for summaries, beside those of the conversation: each costs time and money.',
  },
  unchangedPrefix: {
    name: 'Unchanged prefix',
    short: 'prefix',
    means:
      'How much of each request begins as the one before it did: what a provider’s cache of prompts can serve, for a tenth of the price or so.',
  },
  cpu: {
    name: 'Processor time, ms',
    short: 'cpu ms',
    means: 'Processor time per step: median / most. It varies from run to run; compare the order of magnitude.',
  },
};

const kinds: Record<NeedleKind, string> = { id: 'Ids', number: 'Numbers', path: 'Paths', url: 'Addresses' };

/** Every sentence of the page with the benchmark. */
export const benchStrings = {
  title: 'Benchmark',
  intro:
    'How much of a long conversation is left when it no longer fits the model’s window: Throughline and other projects’ packages, on the same transcripts, with the same summarizer and window.',
  columns,
  kinds,
  run: {
    label: 'This run',
    date: 'Date',
    machine: 'Machine',
    machineOf: (processor: string, cores: number, memoryGb: number) =>
      `${processor}, ${number.format(cores)} cores, ${number.format(memoryGb)} GB`,
    system: 'System',
    systemOf: (system: string, node: string) => `${system}, Node ${node}`,
    command: 'Command',
    source: 'Shown',
    sources: { own: 'this installation’s own run', shipped: 'the run that came with this version' },
  },
  which: 'Transcript and window',
  caseName: (name: string, window: number) => `${name} in ${number.format(window)}`,
  caseFacts: ({ messages, tokens, steps, contextWindow }: BenchReport['transcripts'][number]) =>
    `${number.format(messages)} messages, ${number.format(tokens)} tokens, replayed in ${number.format(steps)} model calls through a window of ${number.format(contextWindow)} tokens.`,
  charts: {
    title: 'At a glance',
    intro: 'Throughline in blue. Hollow bars went over the window at least once, which a provider would have refused.',
    recalled: 'found by one recall',
    window: 'window',
    withMore: (text: string, more: string) => `${text} + ${more}`,
    describe: (name: string) => `Bar chart: ${name} by approach. The table below has the same figures.`,
    charted: {
      known: 'Facts known at the end, and found again',
      actedOn: 'Facts that were acted on, kept',
      tokensAfter: 'Tokens at the end',
      timesOver: 'Steps over the window',
      modelCalls: 'Model calls for summaries',
      unchangedPrefix: 'Unchanged prefix',
    },
  },
  table: {
    title: 'All figures',
    intro: 'Bold: best among those who never went over the window. A dash: nothing to measure.',
    label: (name: string) => `All figures: ${name}`,
    approach: 'Approach',
    failed: (error: string) => `Failed: ${error}`,
  },
  kindTable: {
    title: 'Kept of the compacted, by kind',
    label: (name: string) => `Kept by kind: ${name}`,
    intro: 'Counted, since some kinds are few.',
    all: 'All',
    of: (kept: number, of: number) => `${number.format(kept)} of ${number.format(of)}`,
  },
  worse: {
    title: 'Where another is better, and why',
    none: 'No other approach of this run is better in any figure.',
    line: (ours: string, peer: string, best: string) => `Ours ${ours}, ${best} with ${peer}.`,
  },
  meaning: { title: 'What the figures mean' },
  setups: { title: 'How each was set up' },
  missing: 'There is no report here yet',
  missingBody: 'Run “npm run bench” in the project’s folder; this page shows what it writes.',
  broken: 'The report cannot be read',
  brokenBody: (problem: string) =>
    `It is not what this version writes: ${problem}. Run “npm run bench” again in the project’s folder.`,
};
