import { number, plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/**
 * Requests that the basic assistant understands; in English in every language, as it knows no other. The last two are
 * about the content that `examplesNeed` names.
 */
export const basicSentences = [
  'Create a page called Pricing',
  'List the pages',
  'Change the heading on Home to “Made by hand, made to last”',
  'Find posts about glaze',
] as const;

/** Words in titles of the demo site without which an example is not shown; empty: it works on every site. */
export const examplesNeed: readonly (readonly string[])[] = [[], [], ['home', 'glaze'], ['glaze']];

/** Texts of the empty desk. */
export const startStrings = inYourLanguage('startStrings', {
  title: 'What shall we work on?',
  body: 'Ask for a change in your own words. It appears in the draft beside the chat right away, and every step can be undone.',
  suggestions: basicSentences,
  suggestionsLabel: 'For example',
});

/** Texts of the switch between chat and preview on a small screen. */
export const tabStrings = inYourLanguage('tabStrings', { label: 'View', chat: 'Chat', preview: 'Preview' });

/** A number above 100 means nothing to users: content beyond that is summarized before it is used. */
const shownPercent = (percent: number) => Math.min(100, Math.round(percent));

/** Texts of the message field. */
export const composerStrings = inYourLanguage('composerStrings', {
  /** How full the context is. */
  memory: {
    used: (percent: number) => `Memory: ${number.format(shownPercent(percent))} % used`,
    percent: (percent: number) => `${number.format(shownPercent(percent))} %`,
    unknown: 'Memory: not measured yet',
  },
  label: 'Message to the assistant',
  placeholder: 'Ask for a change…',
  placeholderBusy: 'Add the next thing; I’ll get to it',
  send: 'Send',
  queue: 'Add to the queue',
  hint: 'Enter sends, Shift + Enter starts a new line',
  hintBusy: 'Enter queues, Escape stops the answer',
  stop: 'Stop the answer',
  stopping: 'Stopping…',
  model: 'Model',
});

/** Texts about the files of a message. */
export const attachmentStrings = inYourLanguage('attachmentStrings', {
  add: 'Attach images or text files',
  label: 'Attached files',
  remove: (name: string) => `Remove ${name}`,
  uploading: (name: string) => `Uploading ${name}`,
  sending: 'Sending the files…',
  drop: 'Drop to attach',
  dropHint: 'Images and text files, up to ten in a message',
  unsupported: (name: string) =>
    `“${name}” cannot be attached. Images (PNG, JPEG, GIF, WebP) and text files can: export it in one of these formats.`,
  imageTooLarge: (name: string) => `“${name}” is larger than 5 MB. Save it smaller and attach it again.`,
  textTooLarge: (name: string) => `“${name}” is longer than 200 kB. Attach the part that matters.`,
  empty: (name: string) => `“${name}” is empty.`,
  tooMany: 'A message can have up to ten files. Send these first, then the rest.',
  failed: (name: string, reason: string) => `“${name}” could not be sent: ${reason} Remove it or send again.`,
  unseen: (model: string) => `${model} cannot see images; it receives only their names.`,
  view: (name: string) => `Show ${name}`,
  download: 'Download',
  loading: 'Loading the file…',
  loadFailed: 'The file could not be loaded.',
});

/** Texts of the queue. */
export const queueStrings = inYourLanguage('queueStrings', {
  label: 'Waiting to be sent',
  title: 'Waiting',
  count: (count: number) => plural(count, 'waiting message'),
  held: 'Paused because you stopped',
  heldBody: 'Your next message takes along what waits here.',
  heldReasons: {
    'key-revoked': 'Not sent: its API key was revoked',
    'key-expired': 'Not sent: its API key has expired',
    'budget-reached': 'Not sent: the budget is used up',
  },
  sendAll: 'Send them',
  clear: 'Clear',
  edit: 'Edit',
  editLabel: 'Waiting message',
  remove: 'Remove',
  sendNow: 'Send now',
  sendNext: 'Send next',
  waiting: 'Next',
  waitingAfter: (position: number) => `Number ${number.format(position)}`,
  removed: (count: number) =>
    count === 1 ? 'Waiting message removed' : `${number.format(count)} waiting messages removed`,
  putBack: 'Move to the message field',
  gone: 'This message is no longer waiting: it has been sent or removed.',
  editTooLate: 'Too late for this edit. Your version is in the message field.',
  failed: (reason: string) => `The message could not be queued: ${reason}`,
});

/** Texts of the model picker. */
export const modelStrings = inYourLanguage('modelStrings', {
  list: 'Models',
  search: 'Find a model',
  none: 'No model matches.',
  recommended: (month: string) => `Recommended, as of ${month}`,
  others: 'All others',
  /** In the order of the list. */
  purposes: { best: 'Best', balanced: 'Balanced', cheap: 'Cheap' },
  window: (tokens: string) => `${tokens} tokens`,
  windowUnknown: 'window not known',
  turn: (price: string) => `≈ ${price} a turn`,
  free: 'no charge',
  priceUnknown: 'price not known',
  pictures: 'pictures',
  noPictures: 'text only',
  noTools: 'cannot use tools',
  thisTurn: (turns: number) =>
    `A turn: what the newest ${turns === 1 ? 'one' : number.format(turns)} of this conversation took, at list prices.`,
  usualTurn: 'A turn: what an everyday request takes, at list prices.',
});

/** Texts about a budget that is almost or completely used up. */
export const budgetStrings = inYourLanguage('budgetStrings', {
  near: {
    install: (percent: number) => `${percent} % of this month’s budget for models is used.`,
    person: (percent: number) => `${percent} % of your budget for this month is used.`,
    conversation: (percent: number) => `${percent} % of the budget of this conversation is used.`,
  },
  reached: {
    install: 'This month’s budget for models is used up: no paid model is asked until it is raised, or next month.',
    person: 'Your budget for this month is used up: no paid model is asked until it is raised, or next month.',
    conversation: 'The budget of this conversation is used up: no paid model is asked in it until it is raised.',
  },
  amounts: (spent: string, limit: string) => `(${spent} of ${limit})`,
  place: 'Budgets',
});

/** Texts of the transcript. */
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
  waitingForProvider: (left: string) => `Waiting for the provider: next try in ${left}`,
  waitingForServer: 'Waiting for the model server',
  modelIsLoading: 'The model is being loaded',
  withoutTools: (names: string) => `Working without these tools, which the model server refuses: ${names}`,
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

/** Texts of the actions below a message. */
export const messageActionStrings = inYourLanguage('messageActionStrings', {
  copy: 'Copy',
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

/** Texts about the basic assistant. */
export const basicAssistantStrings = inYourLanguage('basicAssistantStrings', {
  understands: 'What it understands, for example',
  tryThese: 'It understands, for example',
  strip: {
    title: 'The basic assistant answers here.',
    body: 'No language model answers yet, only a small built-in program. It understands the sentences below and others like them.',
    choose: 'It understands the sentences below and others like them. Choose a model to write in your own words.',
    connect: 'Connect a model',
    ask: 'An administrator can connect a language model in the settings.',
  },
});

/** Texts of the confirmation before a link to another site opens. */
export const outsideLinkStrings = inYourLanguage('outsideLinkStrings', {
  title: 'Open a link to another site?',
  body: (host: string) => `This link was written by the assistant and leads to ${host}.`,
  carries: (characters: number) =>
    `Its address carries ${plural(characters, 'character')} of data, which ${characters === 1 ? 'is' : 'are'} sent to that site when you open it. Read it before you do.`,
  address: 'Full address',
  open: 'Open',
  copy: 'Copy address',
});

/** Screen reader announcements about the state of a turn. */
export const statusStrings = inYourLanguage('statusStrings', {
  answering: 'The assistant is answering.',
  done: 'The answer is complete.',
  failed: 'The answer failed.',
  summarizing: 'Summarizing older messages.',
  stopping: 'Stopping the answer.',
  stopped: 'Stopped. What was written so far is kept.',
  asking: 'The assistant is waiting for approval.',
});

/** Texts of an exported Markdown document that the transcript does not contain. */
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
