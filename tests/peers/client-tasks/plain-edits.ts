import type { ClientTask } from '#tests/peers/support/client-site';

/** Edits that need no more than what a page says. */
export const plainEdits: readonly ClientTask[] = [
  {
    name: 'a draft of a page that visitors see stays here',
    run: (site) => site.reword('about', 'Three potters', 'Four potters'),
    differences: [],
  },
  {
    name: 'a word in a paragraph between others',
    async run(site) {
      await site.reword('diary-1', 'workshop diary', 'workshop journal');
      await site.publish('diary-1');
    },
    differences: ['post diary-1 post_content: "diary" > "journal"'],
  },
  {
    name: 'a word of a classic text',
    async run(site) {
      await site.reword('diary-10', 'the old way', 'the good way');
      await site.publish('diary-10');
    },
    differences: ['post diary-10 post_content: "old" > "good"'],
  },
  {
    name: 'a title',
    async run(site) {
      await site.patch('diary-2', [{ op: 'set', field: 'title', value: 'Diary two' }]);
      await site.publish('diary-2');
    },
    differences: ['post diary-2 post_title: "2" > "two"'],
  },
  {
    name: 'a page is unpublished',
    run: async ({ content, by }) => content.unpublish((await content.get('history')).id, by),
    differences: ['page history post_status: "publish" > "draft"'],
  },
  {
    name: 'a new page',
    run: ({ content, by }) => content.create({ type: 'page', title: 'Prices' }, by),
    differences: ['+ page prices'],
    // In WordPress's trash.
    left: [
      '+ page prices__trashed',
      '+ page prices__trashed meta _wp_desired_post_slug: "prices"',
      '+ page prices__trashed meta _wp_trash_meta_status: "draft"',
      '+ page prices__trashed meta _wp_trash_meta_time: a time',
    ],
  },
  {
    name: 'site name and tagline',
    run: ({ content, by }) => content.updateSettings({ tagline: 'Pots and tiles, by hand' }, by),
    differences: ['option blogdescription option_value: "" > " and tiles"'],
  },
];
