import { expect } from 'vitest';
import type { ClientTask } from '#tests/peers/support/client-site';

/** Groups, custom fields, reusable blocks and entries of a plugin's kind. */
export const moreKinds: readonly ClientTask[] = [
  {
    name: 'a post changes its category for one that is new',
    async run(site) {
      expect((await site.content.get('kiln-opening')).draft.terms).toEqual({
        acme_area: ['North'],
        category: ['News'],
      });
      const value = { acme_area: ['North'], category: ['Open days'] };
      await site.patch('kiln-opening', [{ op: 'set', field: 'terms', value }]);
      await site.publish('kiln-opening');
    },
    differences: [
      '+ category Open days',
      '+ post kiln-opening in category Open days',
      '+ term Open days',
      '- post kiln-opening in category News',
      'category News count: 151 > 150',
    ],
    left: ['+ category Open days', '+ term Open days'],
  },
  {
    name: 'a second category is added and an area taken away',
    async run(site) {
      await site.patch('kiln-opening', [{ op: 'set', field: 'terms', value: { category: ['News', 'Workshops'] } }]);
      await site.publish('kiln-opening');
    },
    differences: [
      '+ post kiln-opening in category Workshops',
      '- post kiln-opening in acme_area North',
      'acme_area North count: 2 > 1',
      'category Workshops count: 150 > 151',
    ],
  },
  {
    name: 'a group or custom field that there is not is refused',
    async run(site) {
      const set = (field: 'terms' | 'custom', value: Record<string, string | string[]>) =>
        site.patch('kiln-opening', [{ op: 'set', field, value }]);
      await expect(set('terms', { acme_mood: ['Gay'] })).rejects.toThrow('There are: category, acme_area.');
      await expect(set('custom', { acme_price: '1' })).rejects.toThrow('There are none.');
      await site.reword('about', 'Three potters', 'Four potters');
    },
    differences: [],
  },
  {
    name: 'a custom field of a page',
    async run(site) {
      expect((await site.content.get('services')).draft.custom).toEqual({ acme_price: '9.50' });
      await site.patch('services', [{ op: 'set', field: 'custom', value: { acme_price: '12.00' } }]);
      await site.publish('services');
    },
    differences: ['page services meta acme_price meta_value: "9.50" > "12.00"'],
  },
  {
    name: 'a custom field where there was none',
    async run(site) {
      await site.patch('history', [{ op: 'set', field: 'custom', value: { acme_price: '3' } }]);
      await site.publish('history');
    },
    differences: ['+ page history meta acme_price: "3"'],
  },
  {
    name: 'a word of a reusable block, which pages show',
    async run(site) {
      const [hit] = await site.content.search({ text: 'Open daily' });
      expect(hit).toMatchObject({ slug: 'opening-hours' });
      const block = await site.content.get('opening-hours');
      // As the WordPress calls it; "Pattern" since 6.3.
      expect(['Reusable block', 'Pattern']).toContain(block.draft.kind);
      const services = await site.content.get('services');
      expect(await site.content.referencesTo(block)).toMatchObject([{ kind: 'block', from: { id: services.id } }]);
      expect((await site.content.cautions(block)).map(({ text }) => text)).toContain(
        `What is published of this reusable block shows at once on "${services.draft.title}".`,
      );
      expect((await site.content.cautions(services)).map(({ text }) => text).join(' ')).toContain(
        `"Opening hours" (${block.id})`,
      );
      await site.reword('opening-hours', 'Open daily', 'Open weekly');
      await site.publish('opening-hours');
    },
    differences: ['wp_block opening-hours post_content: "daily" > "weekly"'],
  },
  {
    name: 'a word and a field of a project',
    async run(site) {
      expect((await site.content.query({ tag: 'projects' })).items).toMatchObject([{ kind: 'Projects' }]);
      const { draft, marks } = await site.content.get('town-hall');
      expect([draft.kind, draft.terms, draft.custom, marks]).toEqual([
        'Projects',
        { acme_area: ['North'] },
        { acme_client: 'The town' },
        undefined,
      ]);
      await site.reword('town-hall', '2,000 tiles', '3,000 tiles');
      await site.patch('town-hall', [{ op: 'set', field: 'custom', value: { acme_client: 'The county' } }]);
      await site.publish('town-hall');
    },
    differences: [
      'acme_project town-hall meta acme_client meta_value: "The town" > "The county"',
      'acme_project town-hall post_content: "2" > "3"',
    ],
  },
  {
    name: 'the SEO title of a project',
    async run(site) {
      await site.patch('town-hall', [{ op: 'set', field: 'seo', value: { title: 'Tiles for town halls' } }]);
      await site.publish('town-hall');
      expect(await site.remote('acme_project', 'town-hall')).toMatchObject([
        { seo: { title: 'Tiles for town halls' } },
      ]);
    },
    differences: ['+ acme_project town-hall meta _yoast_wpseo_title: "Tiles for town halls"'],
  },
  {
    name: 'title and SEO texts of a page that is made with a page builder',
    async run(site) {
      const cautions = (await site.content.cautions(await site.content.get('landing'))).map(({ text }) => text);
      await site.patch('landing', [
        { op: 'set', field: 'title', value: 'Landing here' },
        { op: 'set', field: 'seo', value: { title: 'Firing days', description: 'When we fire.' } },
      ]);
      // An autosave of WordPress would open in the builder without the builder's own fields.
      expect(
        await site.wordpress.sql(
          "select count(*) from wp_posts where post_name like '%-autosave-v1' and post_parent = (select ID from wp_posts where post_name = 'landing')",
        ),
      ).toBe('0\n');
      await site.publish('landing');
      expect(cautions).toEqual([]);
    },
    differences: [
      '+ page landing meta _yoast_wpseo_metadesc: "When we fire."',
      '+ page landing meta _yoast_wpseo_title: "Firing days"',
      'page landing post_title: "" > " here"',
    ],
  },
  {
    name: 'a project goes into the trash',
    run: async (site) => site.content.trash((await site.content.get('town-hall')).id, site.by),
    differences: [
      '+ acme_project town-hall__trashed meta _wp_desired_post_slug: "town-hall"',
      '+ acme_project town-hall__trashed meta _wp_trash_meta_status: "publish"',
      '+ acme_project town-hall__trashed meta _wp_trash_meta_time: a time',
      'acme_area North count: 2 > 1',
      'acme_project town-hall post_name: "town-hall" > "town-hall__trashed"',
      'acme_project town-hall post_status: "publish" > "trash"',
    ],
    left: [
      '+ acme_project town-hall meta _wp_trash_meta_status: "publish"',
      '+ acme_project town-hall meta _wp_trash_meta_time: a time',
    ],
  },
];
