import { plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts of the list of pages and posts. */
export const pagesStrings = inYourLanguage('pagesStrings', {
  title: 'Pages and posts',
  intro: 'Everything on this site, drafts too. Open one to change it by hand or with the assistant.',
  new: 'New page or post',
  search: 'Search titles and descriptions',
  state: 'State',
  anyState: 'Any',
  states: { draft: 'Draft', published: 'Published', changed: 'Published, with changes', scheduled: 'Scheduled' },
  scheduled: (when: string) => `Goes live ${when}`,
  types: {
    page: { title: 'Pages', empty: 'There are no pages yet.', none: 'No page matches.' },
    post: { title: 'Posts', empty: 'There are no posts yet.', none: 'No post matches.' },
  },
  count: (count: number) => plural(count, 'entry', 'entries'),
  loading: 'Loading…',
  failed: 'The list could not be loaded.',
  more: 'Show more',
  open: (title: string) => `Open ${title}`,
  below: (title: string) => `under ${title}`,
  sections: (count: number) => plural(count, 'section'),
  menu: (title: string) => `Actions for ${title}`,
  copy: 'Make a copy',
  view: 'View live',
  preview: 'Preview in a new tab',
  edited: 'edited',
});
