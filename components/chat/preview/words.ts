import { inYourLanguage } from '#components/in-your-language';

/** Texts of the preview. */
export const previewStrings = inYourLanguage('previewStrings', {
  label: 'Preview',
  show: 'Show the preview',
  hide: 'Hide the preview',
  draft: 'Draft',
  published: 'Published',
  mode: 'Which version to show',
  onlyDraft: 'This page is not published: visitors find nothing here.',
  inDraft: 'The newest changes are in the draft. Visitors do not see them yet.',
  showDraft: 'Show the draft',
  device: 'Screen width',
  devices: {
    desktop: 'Desktop, 1,280 pixels',
    tablet: 'Tablet, 768 pixels',
    phone: 'Phone, 390 pixels',
    fit: 'As wide as the preview',
  },
  more: 'More about this page',
  openTab: 'Open in a new tab',
  reload: 'Reload the preview',
  pick: 'Choose a page or post',
  pickSearch: 'Find a page or post',
  pages: 'Pages',
  posts: 'Posts',
  none: 'Nothing matches.',
  listFailed: 'The list could not be loaded.',
  resize: 'Preview width',
  frame: (title: string) => `Preview of ${title}`,
  home: 'Home page',
  statuses: { draft: 'Draft', published: 'Published', changed: 'Edited' },
});
