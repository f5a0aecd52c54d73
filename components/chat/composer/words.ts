import { number, plural } from '#components/figures';
import { inYourLanguage } from '#components/in-your-language';

/** Words of the field that messages are written in. */
export const composerStrings = inYourLanguage('composerStrings', {
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

/** Words of files that go with a message. */
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

/** Words of the messages that wait. */
export const queueStrings = inYourLanguage('queueStrings', {
  label: 'Waiting to be sent',
  title: 'Waiting',
  count: (count: number) => plural(count, 'waiting message'),
  held: 'Paused because you stopped',
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
  editTooLate: 'The message was sent while you were editing it. Your version is in the message field.',
  failed: (reason: string) => `The message could not be queued: ${reason}`,
});

/** Words of the choice of a model. */
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
  thisTurn: (turns: number) =>
    `A turn: what the newest ${number.format(turns)} of this conversation took, at list prices.`,
  usualTurn: 'A turn: what an everyday request takes, at list prices.',
});

/** Words of a budget that is near or reached. */
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
