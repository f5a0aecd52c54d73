import type { ClientTask } from '#tests/peers/support/client-site';

const TEXT = 'post_content';
/** Counts an optional block: the delimiter that all blocks begin with belongs to the next one. */
const gone = (name: string) => `"${name} …/wp:${name} -->\n\n<!-- wp:" > ""`;

/** Sections that come, go and move, between what stays. */
export const arrangements: readonly ClientTask[] = [
  {
    name: 'a picture is moved to the end, and the spacer stays',
    async run(site) {
      const { id: sectionId } = await site.section('about', 'A tea bowl');
      await site.patch('about', ({ draft }) => [{ op: 'move-section', sectionId, index: draft.sections.length - 1 }]);
      await site.publish('about');
    },
    differences: [
      'page about post_content: "image {…} -->\n…<!-- /wp:image -->\n\n<!-- wp:" > ""',
      'page about post_content: "" > " -->\n\n<!-- wp:image {…} -->\n…<!-- /wp:image"',
    ],
  },
  {
    name: 'a plugin’s block is removed',
    async run(site) {
      const { id: sectionId } = await site.section('services', 'Slide   one');
      await site.patch('services', [{ op: 'remove-section', sectionId }]);
      await site.publish('services');
    },
    differences: [`page services ${TEXT}: ${gone('acme/slider')}`],
  },
  {
    name: 'columns are removed',
    async run(site) {
      const { id: sectionId } = await site.section('home', 'We throw');
      await site.patch('home', [{ op: 'remove-section', sectionId }]);
      await site.publish('home');
    },
    differences: ['page home post_content: "<!-- wp:group {…<!-- /wp:group -->" > ""'],
  },
  {
    name: 'a section comes between two others',
    async run(site) {
      const section = { id: 'sec_between1', type: 'text' as const, fields: { body: 'Wheel courses.' } };
      await site.patch('services', [{ op: 'insert-section', section, index: 1 }]);
      await site.publish('services');
    },
    differences: [
      `page services ${TEXT}: "" > "paragraph -->\n<p>Wheel courses.</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:"`,
    ],
  },
  {
    name: 'a paragraph is added at the end of a post',
    async run(site) {
      const { id: sectionId, fields } = await site.section('kiln-opening', 'Until six');
      const body = `${fields['body'] as string}\n\nBring a friend.`;
      await site.patch('kiln-opening', [{ op: 'set-section', sectionId, fields: { body } }]);
      await site.publish('kiln-opening');
    },
    differences: [
      `post kiln-opening ${TEXT}: "" > "\n\n<!-- wp:paragraph -->\n<p>Bring a friend.</p>\n<!-- /wp:paragraph -->"`,
    ],
  },
  {
    name: 'a row is added to a styled table',
    async run(site) {
      const { id: sectionId, fields } = await site.section('team', 'Ann');
      const body = (fields['body'] as string).replace(/(\n\n|$)/, '\n| Cy | 1 |$1');
      await site.patch('team', [{ op: 'set-section', sectionId, fields: { body } }]);
      await site.publish('team');
    },
    differences: [
      `page team ${TEXT}: "" > "tr><td>Cy</td><td class="has-text-align-right" data-align="right">1</td></tr><"`,
    ],
  },
  {
    name: 'somebody colours a paragraph after us, and the undo of our words leaves the colour',
    async run(site) {
      await site.reword('about', 'Three potters', 'Four potters');
      await site.publish('about');
      const [page] = await site.remote('page', 'about');
      const contentRaw = page!.contentRaw.replaceAll('#224466', '#aa0000');
      await site.client.entries.update('page', page!.remoteId, { contentRaw });
    },
    differences: [
      `page about ${TEXT}: "Three" > "Four"`,
      `page about ${TEXT}: "224466" > "aa0000"`,
      `page about ${TEXT}: "224466" > "aa0000"`,
    ],
    left: [`page about ${TEXT}: "224466" > "aa0000"`, `page about ${TEXT}: "224466" > "aa0000"`],
  },
];
