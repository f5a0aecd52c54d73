import { plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts of the list of conversations. */
export const sidebarStrings = inYourLanguage('sidebarStrings', {
  label: 'Conversations',
  open: 'Show conversations',
  close: 'Hide conversations',
  newChat: 'New conversation',
  library: 'Library',
  admin: 'Admin',
  search: 'Search conversations',
  empty: 'Your conversations will be listed here.',
  searching: 'Searching…',
  found: (count: number) => plural(count, 'conversation'),
  noMatch: (query: string) => `No conversation is called “${query}”.`,
  said: 'Said in conversations',
  failed: 'The list of conversations could not be loaded.',
  more: 'Show older conversations',
  rename: 'Rename',
  renameLabel: 'Title of the conversation',
  remove: 'Delete',
  /** States of a conversation in the list. */
  working: 'Working',
  waitsForApproval: 'Waits for your approval',
  queued: (count: number) => `${plural(count, 'message')} queued`,
  actions: (title: string) => `Actions for “${title}”`,
  removeTitle: 'Delete this conversation?',
  removeBody: (title: string) =>
    `“${title}” and its history will be permanently deleted. Changes made to the site stay.`,
  removed: 'Conversation deleted',
  groups: { today: 'Today', yesterday: 'Yesterday', week: 'Earlier this week', older: 'Older' },
});
