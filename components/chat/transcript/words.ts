import { plural } from '#components/figures';
import { inYourLanguage } from '#components/in-your-language';

/** Words of the messages of a conversation. */
export const transcriptStrings = inYourLanguage('transcriptStrings', {
  label: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  loading: 'Loading the conversation…',
  failed: 'The conversation could not be loaded.',
  missing: 'Conversation not found',
  messageGone: 'This message is not in the conversation any more.',
  missingBody: 'It may have been deleted.',
  earlier: 'Show earlier messages',
  loadingEarlier: 'Loading earlier messages…',
  earlierFailed: 'Earlier messages could not be loaded.',
  beginning: 'The conversation begins here.',
  toBottom: 'Jump to the newest message',
  thinking: 'Thinking…',
  thinkingFor: (waited: string) => `Thinking… ${waited}`,
  reasoning: 'Reasoning',
  interrupted: 'This answer was interrupted. Everything up to here is kept.',
  stopped: 'Stopped. What was written so far is kept.',
  stopsSlowly: 'Stopping takes longer than usual. A change to the site may still be finishing.',
  stoppedEmpty: 'Stopped before anything was written.',
  sentTogether: (count: number) => `${plural(count, 'message')} sent together`,
  turnFailed: 'The assistant could not finish this answer.',
  modelPlace: 'Choose a model',
  budgetPlace: 'Where budgets are set',
  keyPlace: 'Where the key is set',
  sendFailed: 'Not sent.',
  sendLater: 'Not sent yet: there is no connection. It is sent as soon as the connection is back.',
  change: 'Edit',
  resend: 'Send again',
  discard: 'Discard',
  took: (duration: string) => `Answered in ${duration}`,
  earlierSteps: (count: number) => `Show ${plural(count, 'earlier step')}`,
  empty: 'No messages yet.',
  imageBlocked: (alt: string, host: string | null) =>
    ['Image not shown', ...(host === null ? [] : [` (from ${host})`]), ...(alt ? [`: ${alt}`] : [])].join(''),
  attachment: 'Attached file',
  askedAgain: 'Asked again',
  showEarlierVersion: 'Show earlier version',
  hideEarlierVersion: 'Hide earlier version',
  earlierVersion: 'Earlier version',
  earlierVersionFailed: 'The earlier version could not be loaded.',
});

/** Words of what can be done with a message. */
export const messageActionStrings = inYourLanguage('messageActionStrings', {
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Your browser did not allow copying.',
  edit: 'Edit',
  editLabel: 'Edit your message',
  editHint: 'Enter sends, Shift+Enter starts a new line, Escape cancels',
  send: 'Send',
  sending: 'Sending…',
  retry: 'Ask again',
  retryTitle: 'Ask again?',
  retryBody: 'The new answer replaces this one, which stays readable above it.',
  undoChanges: (count: number) =>
    `Also undo the ${count === 1 ? 'change' : plural(count, 'change')} it made to the site`,
});

/** Words about the basic assistant. */
export const basicAssistantStrings = inYourLanguage('basicAssistantStrings', {
  understands: 'What it understands, for example',
  tryThese: 'It understands, for example',
});

/** Words of the question before a link to another site is opened. */
export const outsideLinkStrings = inYourLanguage('outsideLinkStrings', {
  title: 'Open a link to another site?',
  body: (host: string) => `This link was written by the assistant and leads to ${host}.`,
  carries: (characters: number) =>
    `Its address carries ${plural(characters, 'character')} of data, which ${characters === 1 ? 'is' : 'are'} sent to that site when you open it. Read it before you do.`,
  address: 'Full address',
  open: 'Open',
  copy: 'Copy address',
});

/** Words that a screen reader says as a turn goes on. */
export const statusStrings = inYourLanguage('statusStrings', {
  answering: 'The assistant is answering.',
  done: 'The answer is complete.',
  failed: 'The answer failed.',
  summarizing: 'Summarizing older messages.',
  stopping: 'Stopping the answer.',
  stopped: 'Stopped. What was written so far is kept.',
  asking: 'The assistant is waiting for your approval.',
});

/** The words of an exported Markdown document that the transcript does not have. */
export const exportedStrings = inYourLanguage('exportedStrings', {
  begun: (when: string) => `A conversation in Throughline, started ${when}.`,
  attached: (name: string) => `Attached: ${name}`,
  details: 'Input and result',
  noResult: 'no result',
  failed: (reason: string) => `This answer failed: ${reason}`,
  superseded: 'replaced by a later version',
  summarized: 'Older messages summarized.',
  summary: 'Summary',
  undone: 'undone',
});
