import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts of the preview. */
export const previewStrings = inYourLanguage('previewStrings', {
  label: 'Preview',
  skip: 'Skip to the sections of the page',
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
  look: {
    draft: 'As WordPress shows this draft, with its theme. Scripts are off.',
    published: 'The published page as visitors see it, without scripts.',
    ours: 'In our design. Visitors see the theme of WordPress.',
    gaps: {
      'no-companion':
        'To see every draft with its theme here, and point at its sections, install the companion plugin in WordPress.',
      'old-companion':
        'The companion plugin in WordPress is too old to show drafts with their theme: put its new file in the place of the old one.',
      'no-page': 'WordPress has no page of its own for this.',
      failed:
        'WordPress could not show this draft just now. Reload the preview; if it stays so, a plugin or the theme may break on it.',
    },
    guide: 'How to install it',
    toOurs: 'Write in our design',
    toTheirs: 'Show as WordPress does',
  },
  resize: 'Preview width',
  frame: (title: string) => `Preview of ${title}`,
  home: 'Home page',
  statuses: { draft: 'Draft', published: 'Published', changed: 'Edited' },
});
