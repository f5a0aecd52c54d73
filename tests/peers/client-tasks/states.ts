import { expect } from 'vitest';
import type { ClientSite, ClientTask } from '#tests/peers/support/client-site';

async function id({ content }: ClientSite, ref: string): Promise<string> {
  return (await content.get(ref)).id;
}

/** What a visitor is sent for an address. */
async function visitedPage({ wordpress }: ClientSite, slug: string): Promise<string> {
  const response = await fetch(`${wordpress.url}/${slug}/`);
  expect(response.status).toBe(200);
  return response.text();
}

/** Entries that not everybody sees, or that stand out. */
export const states: readonly ClientTask[] = [
  {
    name: 'a private page is edited and stays private',
    run: (site) => site.reword('board', 'Minutes', 'Notes'),
    differences: ['page board post_content: "Minutes" > "Notes"'],
  },
  {
    name: 'a protected page is edited and published, and keeps its password',
    async run(site) {
      await site.reword('members', 'price list', 'new prices');
      await site.publish('members');
    },
    differences: ['page members post_content: "list" > "prices"', 'page members post_content: "price" > "new"'],
  },
  {
    name: 'a draft of a protected page stays here',
    run: (site) => site.reword('members', 'price list', 'new prices'),
    differences: [],
  },
  {
    name: 'a pending post is edited and stays pending',
    run: (site) => site.reword('to-review', 'Please', 'Do'),
    differences: ['post to-review post_content: "Please" > "Do"'],
  },
  {
    name: 'a scheduled post is renamed here, and WordPress keeps what it will publish',
    run: (site) => site.patch('next-year', [{ op: 'set', field: 'title', value: 'In a year' }]),
    differences: [],
  },
  {
    name: 'a sticky post is edited and stays sticky',
    async run(site) {
      await site.reword('kiln-opening', 'cake', 'pie');
      await site.publish('kiln-opening');
    },
    differences: ['post kiln-opening post_content: "cake" > "pie"'],
  },
  {
    name: 'a sticky post goes into the trash and comes back as it was',
    run: async (site) => site.content.trash(await id(site, 'kiln-opening'), site.by),
    differences: [
      '+ post kiln-opening__trashed meta _wp_desired_post_slug: "kiln-opening"',
      '+ post kiln-opening__trashed meta _wp_trash_meta_comments_status: …',
      '+ post kiln-opening__trashed meta _wp_trash_meta_status: "publish"',
      '+ post kiln-opening__trashed meta _wp_trash_meta_time: a time',
      'acme_area North count: 2 > 1',
      'category News count: 151 > 150',
      'comment "Buy pills" comment_approved: "spam" > "post-trashed"',
      'comment "Is there tea?" comment_approved: "1" > "post-trashed"',
      'comment "Lovely" comment_approved: "1" > "post-trashed"',
      'comment "Waiting" comment_approved: "0" > "post-trashed"',
      'option sticky_posts option_value: …',
      'option sticky_posts option_value: …',
      'option sticky_posts option_value: …',
      'post kiln-opening post_name: "kiln-opening" > "kiln-opening__trashed"',
      'post kiln-opening post_status: "publish" > "trash"',
      'post_tag Glaze &amp; kiln count: 1 > 0',
      'post_tag Pottery count: 61 > 60',
    ],
    left: [
      '+ post kiln-opening meta _wp_trash_meta_comments_status: …',
      '+ post kiln-opening meta _wp_trash_meta_status: "publish"',
      '+ post kiln-opening meta _wp_trash_meta_time: a time',
      '+ comment "Buy pills" meta _wp_trash_meta_status: "post-trashed"',
      '+ comment "Buy pills" meta _wp_trash_meta_time: a time',
    ],
  },
  {
    name: 'a private post is published',
    run: async (site) => site.content.publish(await id(site, 'private-note'), site.by),
    differences: ['category Uncategorized count: 1 > 2', 'post private-note post_status: "private" > "publish"'],
  },
  {
    name: 'a pending post is published',
    run: async (site) => site.content.publish(await id(site, 'to-review'), site.by),
    differences: [
      'category Uncategorized count: 1 > 2',
      'post to-review post_date: … > now',
      'post to-review post_date_gmt: … > now',
      'post to-review post_status: "pending" > "publish"',
    ],
  },
  {
    name: 'a scheduled post is published at once',
    run: async (site) => site.content.publish(await id(site, 'next-year'), site.by),
    differences: [
      '+ post next-year meta _wp_old_date: …',
      'category Uncategorized count: 1 > 2',
      'post next-year post_date: … > now',
      'post next-year post_date_gmt: … > now',
      'post next-year post_status: "future" > "publish"',
    ],
    left: ['+ post next-year meta _wp_old_date: …'],
  },
  {
    name: 'a sticky post is unpublished',
    run: async (site) => site.content.unpublish(await id(site, 'kiln-opening'), site.by),
    differences: [
      'acme_area North count: 2 > 1',
      'category News count: 151 > 150',
      'post kiln-opening post_status: "publish" > "draft"',
      'post_tag Glaze &amp; kiln count: 1 > 0',
      'post_tag Pottery count: 61 > 60',
    ],
  },
  {
    name: 'a post of 2023 is unpublished and published again, with its date',
    async run(site) {
      const shown = await visitedPage(site, 'diary-7');
      const { id: entryId, publishedAt } = await site.content.get('diary-7');
      await site.content.unpublish(entryId, site.by);
      // WordPress leads visitors on to a post whose address begins alike.
      expect((await fetch(`${site.wordpress.url}/diary-7/`, { redirect: 'manual' })).status).not.toBe(200);
      const { entry } = await site.content.publish(entryId, site.by);
      expect(entry.publishedAt).toBe(publishedAt);
      expect(await visitedPage(site, 'diary-7')).toBe(shown);
    },
    differences: [],
  },
  {
    name: 'tags, one of them new',
    async run(site) {
      await site.patch('kiln-opening', [{ op: 'set', field: 'tags', value: ['Pottery', 'Sundays'] }]);
      await site.publish('kiln-opening');
    },
    differences: [
      '+ post kiln-opening in post_tag Sundays',
      '+ post_tag Sundays',
      '+ term Sundays',
      '- post kiln-opening in post_tag Glaze &amp; kiln',
      'post_tag Glaze &amp; kiln count: 1 > 0',
    ],
    left: ['+ post_tag Sundays', '+ term Sundays'],
  },
  {
    name: 'a tag that was made here and described in WordPress is taken off its post, and stays as it is',
    async run(site) {
      await site.patch('kiln-opening', [{ op: 'set', field: 'tags', value: ['Pottery', 'Glaze & kiln', 'Open kiln'] }]);
      await site.publish('kiln-opening');
      await site.wordpress.php(`
        $term = get_term_by('name', 'Open kiln', 'post_tag');
        wp_update_term($term->term_id, 'post_tag', ['description' => 'What the client wrote']);
        wp_set_object_terms(get_page_by_path('to-review', OBJECT, 'post')->ID, $term->term_id, 'post_tag');
      `);
      await site.patch('kiln-opening', [{ op: 'set', field: 'tags', value: ['Pottery', 'Glaze & kiln'] }]);
      const { notes } = await site.content.publish((await site.content.get('kiln-opening')).id, site.by);
      expect(notes).toEqual([
        `The tag "Open kiln", which was made from here, is on no published entry any more. It stays in WordPress. To delete it: ${site.wordpress.url}/wp-admin/edit-tags.php?taxonomy=post_tag`,
      ]);
    },
    // The draft "To review" has it still; WordPress does not count drafts.
    differences: ['+ post to-review in post_tag Open kiln', '+ post_tag Open kiln', '+ term Open kiln'],
    left: ['+ post to-review in post_tag Open kiln', '+ post_tag Open kiln', '+ term Open kiln'],
  },
  {
    name: 'a description for search engines',
    async run(site) {
      const { seo } = (await site.content.get('services')).draft;
      const value = { title: seo?.title ?? '', description: 'Bowls and tiles.' };
      await site.patch('services', [{ op: 'set', field: 'seo', value }]);
      await site.publish('services');
    },
    differences: ['+ page services meta _yoast_wpseo_metadesc: "Bowls and tiles."'],
  },
  {
    name: 'a title for search engines',
    async run(site) {
      await site.patch('services', [{ op: 'set', field: 'seo', value: { title: 'What we make' } }]);
      await site.publish('services');
    },
    differences: ['page services meta _yoast_wpseo_title meta_value: "%%title%% | Clay  &amp; Co" > "What we make"'],
  },
  {
    name: 'an excerpt with marks',
    async run(site) {
      await site.patch('kiln-opening', [{ op: 'set', field: 'excerpt', value: 'Come & look.' }]);
      await site.publish('kiln-opening');
    },
    differences: ['post kiln-opening post_excerpt: "see" > "look"'],
  },
  {
    name: 'a slug',
    async run(site) {
      await site.patch('history', [{ op: 'set', field: 'slug', value: 'our-history' }]);
      await site.publish('history');
    },
    differences: [
      'page history post_name: "history" > "our-history"',
      // The menu follows.
      'wp_navigation main post_content: "" > "our-"',
    ],
  },
  {
    name: 'a cover picture is taken off',
    async run(site) {
      await site.patch('kiln-opening', [{ op: 'unset', field: 'image' }]);
      await site.publish('kiln-opening');
    },
    differences: ['- post kiln-opening meta _thumbnail_id: "4"'],
  },
  {
    name: 'a page is put below another',
    async run(site) {
      const about = await site.content.get('about');
      await site.patch('services', [{ op: 'set', field: 'parent', value: about.id }]);
      await site.publish('services');
    },
    differences: ['page services post_parent: 0 > 7', 'wp_navigation main post_content: "" > "…about…"'],
  },
];
