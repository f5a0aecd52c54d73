import { number, plural } from '#components/figures';
import { inYourLanguage } from '#components/in-your-language';

/** Texts of what visitors sent by forms. */
export const messagesStrings = inYourLanguage('messagesStrings', {
  title: 'Messages',
  intro:
    'What visitors sent by the forms of this site. The assistant reads it only if an administrator allows that in the settings.',
  search: 'Search messages',
  form: 'Form',
  anyForm: 'All forms',
  formName: (form: string, page: string) => `${form} (${page})`,
  unreadOnly: 'Unread only',
  count: (total: number, unread: number) =>
    unread === 0 ? plural(total, 'message') : `${plural(total, 'message')}, ${number.format(unread)} unread in all`,
  loading: 'Loading the messages…',
  failed: 'The messages could not be loaded.',
  more: 'Show older ones',
  empty: 'No messages yet',
  emptyBody: 'Put a form on a page and publish it: what visitors send is shown here.',
  noMatch: 'No message matches.',
  showAll: 'Show all messages',
  list: 'Messages, newest first',
  unread: 'Unread',
  unreadMark: 'unread',
  nothingWritten: 'Nothing was written',
  from: (form: string, page: string) => `${form}, on ${page}`,
  yes: 'Yes',
  copy: (label: string) => `Copy: ${label}`,
  markUnread: 'Mark as unread',
  remove: 'Delete',
  removeOne: {
    title: 'Delete this message?',
    body: 'Nothing brings it back.',
    confirm: 'Delete the message',
    done: 'Message deleted',
  },
  removeAll: {
    open: (count: number) => `Delete ${count === 1 ? 'it' : `all ${number.format(count)}`}`,
    title: (count: number) => `Delete ${plural(count, 'message')}?`,
    body: 'All that are listed here, also those that are not shown yet. Nothing brings them back.',
    confirm: 'Delete them',
    done: (count: number) => `${plural(count, 'message')} deleted`,
  },
  markAllRead: 'Mark all as read',
  notDone: (reason: string) => `Not done: ${reason}`,
  export: 'Export as CSV',
  mail: {
    none: null,
    waiting: 'About to be mailed',
    sent: 'Mailed',
    failed: 'Could not be mailed',
  },
  mailTrying: (reason: string) => `Not mailed yet, it is tried again. ${reason}`,
  mailFailed: (reason: string) => `Could not be mailed. ${reason}`,
  mailsTo: (address: string) => `Every new message is also mailed to ${address}.`,
  mailsNobody:
    'New messages are not mailed to anybody. That takes a mail server (SMTP_URL) and an e-mail address in the settings of the site.',
  keeping: {
    title: 'How long messages are kept',
    label: 'Days',
    body: 'Older messages are deleted by themselves.',
    adminOnly: (days: number) =>
      `Messages are kept for ${plural(days, 'day')}, then deleted. An administrator can change that.`,
    save: 'Save',
    saved: 'Saved',
    fewer: {
      title: (days: number) => `Keep messages for ${plural(days, 'day')} only?`,
      body: 'Those that are older are deleted now. Nothing brings them back.',
      confirm: 'Keep them so long',
    },
  },
  full: (most: number) =>
    `No more than ${number.format(most)} messages are kept, and that many are here: forms take none any more. Delete some.`,
});
