import { number, plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts about compactions in a conversation. */
export const compactionStrings = inYourLanguage('compactionStrings', {
  running: 'Summarizing older messages…',
  cancel: 'Cancel',
  cancelLabel: 'Cancel summarizing',
  cancelling: 'Cancelling…',
  cancelled: 'Summarizing cancelled. Nothing was changed.',
  cancelledInTurn: 'Summarizing cancelled. The answer continues without a model-written summary.',
  notCancelled: 'It finished before it could be cancelled.',
  compacted: 'Older messages summarized. Nothing deleted.',
  whatWasKept: 'What was kept',
  tokens: (before: number, after: number) => `${number.format(before)} → ${number.format(after)} tokens.`,
  pruned: (outputs: number, saved: number) =>
    `${plural(outputs, 'old result')} cleared, ${number.format(saved)} tokens freed. You can still read ${outputs === 1 ? 'it' : 'them'} here.`,
  undo: 'Undo',
  undone: 'Undone. The assistant sees the earlier messages again as they were.',
  pruneUndone: 'Undone. The assistant sees those outputs again.',
  takenBack: 'This was undone: the assistant sees the original messages.',
  undoHint: 'After an undo, the assistant sees the original messages again instead of this summary.',
  cannotUndo: 'A newer summary builds on this one. Undo that one first.',
  cannotUndoNow: 'You can undo this once the summary in progress is done.',
  detailsTitle: 'What was kept',
  detailsLoading: 'Loading the details…',
  detailsFailed: 'The details could not be loaded.',
  figuresTitle: 'Details',
  figures: {
    tokens: 'Tokens',
    messages: 'Messages summarized',
    duration: 'Duration',
    writer: 'Written',
    strategy: 'Strategy',
    reason: 'Reason',
  },
  byModel: (model: string) => `by ${model}`,
  withoutModel: 'without a model',
  userWords: 'Your words, kept as you wrote them',
  ledger: 'Exactly what was done',
  kept: (count: number) =>
    count === 1 ? '1 message left as it was' : `${number.format(count)} messages left as they were`,
  roles: { user: 'You', assistant: 'Assistant', tool: 'Tool' },
  showAll: 'Show all of it',
  summary: 'The summary, as the assistant reads it',
  more: (count: number) => `Show ${number.format(count)} more`,
  done: 'Older messages summarized. Nothing deleted.',
  cleared: (before: number, after: number) =>
    `Old results set aside: ${number.format(before)} → ${number.format(after)} tokens`,
  failed: 'The conversation could not be summarized. Nothing was lost.',
  explain: 'Earlier messages stay readable above; the assistant continues from a summary of them.',
});

/** Texts of the context panel. */
export const contextStrings = inYourLanguage('contextStrings', {
  tooMuch: 'More than fits: older messages are summarized before the next answer.',
  title: 'Context',
  of: (current: number, usable: number) => `${number.format(current)} of ${number.format(usable)} usable tokens`,
  window: (window: number, reserve: number) =>
    `Window of ${number.format(window)}, of which ${number.format(reserve)} are reserved for the answer`,
  estimated: 'Estimated',
  reported: 'Reported by the model',
  rounds: (count: number) => `Summarized ${count === 1 ? 'once' : `${number.format(count)} times`}`,
  pruned: (outputs: number, tokens: number) =>
    `${plural(outputs, 'old result')} cleared, ${number.format(tokens)} tokens freed`,
  compact: 'Summarize now',
  compacting: 'Summarizing…',
  nothing: 'There is nothing to summarize yet.',
  compactFailed: (reason: string) => `Could not summarize: ${reason}`,
  explain: 'When it fills up, older messages are summarized. Nothing is deleted.',
  cost: 'Cost so far',
  cached: 'Read from the cache',
  cachedHint: 'Part of the latest request that the provider had in its cache and charges less for.',
  unknownValue: 'unknown',
  details: 'Details',
  parts: {
    instructions: 'Instructions',
    tools: 'Tools',
    user: 'Your messages',
    assistant: 'Answers',
    reasoning: 'Reasoning',
    toolCalls: 'Tool calls',
    toolResults: 'Tool results',
    media: 'Images and files',
    situation: 'Current context',
    summary: 'Summary',
  },
});

/** Texts about the lasting preferences of a conversation. */
export const preferenceStrings = inYourLanguage('preferenceStrings', {
  title: 'Preferences',
  explain: 'What you asked for in this conversation, in your words. Summaries do not change it.',
  letGo: 'Remove',
  letGoOf: (quote: string) => `Remove: ${quote}`,
  gone: 'Removed. The assistant no longer follows this.',
  undo: 'Undo',
});
