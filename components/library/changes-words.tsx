import { inYourLanguage } from '#components/in-your-language';

/** Sentences of the library's list of changes alone; the others are with what it shows. */
export const changesPageStrings = inYourLanguage('changesPageStrings', {
  intro: 'Everything that was changed on this site: who, when and what. Nothing here is ever deleted.',
  emptySite: 'Changes that you or the assistant make to the site are listed here.',
  noMatch: 'No change matches these filters.',
  showAll: 'Show all changes',
  older: 'Show older changes',
  loadingOlder: 'Loading older changes…',
  today: 'Today',
  yesterday: 'Yesterday',
  whoLabel: 'Who',
  anyone: 'Anyone',
  kindLabel: 'What',
  anything: 'Anything',
  kinds: {
    page: 'Page',
    post: 'Post',
    asset: 'Picture',
    navigation: 'Menu',
    settings: 'Site settings',
    'standing-instructions': 'Standing instructions',
  },
  onlyConversation: (title: string) => `Only “${title}”`,
  onlyImport: 'Only one import',
  someConversation: 'one conversation',
});
