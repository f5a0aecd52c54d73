import type { BenchColumnKey } from '#tests/bench/context/bench-columns';
import type { BenchReport } from '#tests/bench/context/bench-report';

const number = new Intl.NumberFormat('en-US');

/** Name of a figure in a table, and its meaning. */
const columns: Record<BenchColumnKey, { readonly name: string; readonly short: string; readonly means: string }> = {
  known: {
    name: 'Known at the end',
    short: 'known',
    means: 'Share of all ids, numbers, paths and addresses of the conversation that the last request contains.',
  },
  knownMean: {
    name: 'Known on average',
    short: 'mean',
    means:
      'The same at 20 evenly spaced steps, each for the messages so far. It does not depend on the last compaction.',
  },
  userWords: {
    name: 'User’s messages in view',
    short: 'words',
    means:
      'Share of the user’s messages that a request contains, at the end / on average: all words in order, in user or system messages; or an excerpt of the first 20 and last 10 words with the id for recall. Repeated messages must be there as often.',
  },
  userWordsFound: {
    name: 'Words found again',
    short: 'w. found',
    means:
      'Share of the missing user messages that one call of the approach’s recall tool finds with six of their longest words.',
  },
  callNames: {
    name: 'Names from calls in view',
    short: 'names',
    means:
      'Share of the names in the model’s tool inputs that a request contains, at the end / on average: ids, paths, addresses, words spelt like code, and single-word values, in the first 4,000 characters of each input text.',
  },
  retained: {
    name: 'Kept of the compacted',
    short: 'kept',
    means: 'Share of the facts in messages that are no longer shown word for word which the last request contains.',
  },
  actedOn: {
    name: 'Acted on, kept',
    short: 'acted on',
    means:
      'Share of the important facts in messages that are no longer shown word for word (user’s messages, tool inputs, results of tools that changed something) which the last request contains.',
  },
  recallable: {
    name: 'Found again',
    short: 'recall',
    means:
      'Share of the lost facts that one call of the approach’s recall tool finds, on an even sample of at most 200.',
  },
  latestRequest: {
    name: 'Latest request',
    short: 'latest',
    means: 'Share of the steps with the newest user message word for word.',
  },
  firstRequest: {
    name: 'First request',
    short: 'first',
    means: 'Whether the last request contains the user’s first message word for word.',
  },
  standingInstructions: {
    name: 'Preferences',
    short: 'wishes',
    means: 'Share of the user’s preferences (“always …”, “never …”) that the last request contains.',
  },
  orphans: {
    name: 'Orphans',
    short: 'orphans',
    means: 'Calls without result and results without call over all steps, beyond those of the transcript.',
  },
  tokensAfter: { name: 'Tokens at the end', short: 'tokens', means: 'Length of the last request.' },
  tokensMean: {
    name: 'Tokens on average',
    short: 'mean tok.',
    means: 'Length of the request at the 20 steps. Neither long nor short is better.',
  },
  timesOver: {
    name: 'Over the window',
    short: 'over',
    means:
      'Steps whose request did not fit the window less the output reserve (4,096 tokens, at most a quarter of the window). A provider refuses it.',
  },
  compactions: { name: 'Compactions', short: 'compact.', means: 'How often older messages were replaced.' },
  modelCalls: { name: 'Model calls', short: 'calls', means: 'Model calls for summaries.' },
  unchangedPrefix: {
    name: 'Unchanged prefix',
    short: 'prefix',
    means:
      'Share of each request that equals the beginning of the previous one, which a provider’s prompt cache serves.',
  },
  cpu: {
    name: 'Processor time, ms',
    short: 'cpu ms',
    means: 'Processor time per step, median / maximum. It varies between runs.',
  },
};

/** Every text of the report. */
export const benchStrings = {
  columns,
  run: {
    machineOf: (processor: string, cores: number, memoryGb: number) =>
      `${processor}, ${number.format(cores)} cores, ${number.format(memoryGb)} GB`,
    systemOf: (system: string, node: string) => `${system}, Node ${node}`,
  },
  caseName: (name: string, window: number) => `${name} in ${number.format(window)}`,
  caseFacts: ({ messages, tokens, steps, contextWindow }: BenchReport['transcripts'][number]) =>
    `${number.format(messages)} messages, ${number.format(tokens)} tokens, replayed in ${number.format(steps)} model calls with a window of ${number.format(contextWindow)} tokens.`,
  conversation: ({ name, messages, tokens, steps, from }: BenchReport['transcripts'][number], windows: number[]) => {
    const sizes = windows.map((size) => number.format(size)).join(' and ');
    return `- **${name}**: ${number.format(messages)} messages, ${number.format(tokens)} tokens, ${number.format(steps)} model calls, in a window of ${sizes} tokens. From: ${from}.`;
  },
  worse: {
    none: 'No other approach of this run is better in any figure.',
    line: ({ figure, transcript, peer }: BenchReport['worse'][number]) => `${figure} in _${transcript}_ (${peer})`,
    often: (figure: string, count: number, cases: number) => `${figure} in ${count} of ${cases} cases`,
  },
};
