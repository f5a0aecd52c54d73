import { expect, it } from 'vitest';
import type { Entry } from '#server/core/site/content';
import { toJson } from '#server/core/json';
import type { Mirror } from '#server/wordpress/mirror/mirror';
import { visitorAddress } from '#server/wordpress/mirror/visitor-address';

const SITE = 'https://kiln.example';
const template = `${SITE}/journal/2024/%postname%/`;

/** An address for an entry that WordPress has with this slug, address and template. */
function addressOf(
  known: { slug: string; address: string; addressTemplate?: string; status?: 'draft' | 'published' },
  draft: { slug: string; parent?: string },
  state: 'draft' | 'published' = 'draft',
) {
  const { status = 'published', ...rest } = known;
  const kept = { modified: 1, hash: 'x', date: null, blocks: [], ...rest, status };
  const above = { ...kept, slug: 'about', address: `${SITE}/about/`, document: { title: 'About', slug: 'about' } };
  const links = { pos_1: { ...kept, document: { title: 'Day', slug: known.slug } }, pag_2: above };
  const mirror = {
    link: async (id: keyof typeof links) => ({
      kind: 'post',
      localId: id,
      remoteId: 1,
      known: toJson(links[id]),
      seenAt: 1,
    }),
  };
  const entry = { id: 'pos_1', draft, published: { slug: known.slug } };
  return visitorAddress({ mirror: mirror as unknown as Mirror, siteUrl: SITE }, entry as Entry, state);
}

it.for([
  ['as it is published', { slug: 'day', address: `${SITE}/x/day/` }, { slug: 'day' }, `${SITE}/x/day/`],
  [
    'with another slug, by the template',
    { slug: 'day', address: `${SITE}/x/day/`, addressTemplate: template },
    { slug: 'days' },
    `${SITE}/journal/2024/days/`,
  ],
  ['with another slug, by the address', { slug: 'day', address: `${SITE}/x/day` }, { slug: 'days' }, `${SITE}/x/days`],
  [
    'of a draft',
    { slug: '', status: 'draft', address: `${SITE}/?p=1`, addressTemplate: template },
    { slug: 'day' },
    `${SITE}/journal/2024/day/`,
  ],
  [
    'of a draft of which only the id is known',
    { slug: '', status: 'draft', address: `${SITE}/?p=1` },
    { slug: 'day' },
    `${SITE}/?p=1`,
  ],
  [
    'below another page',
    { slug: 'day', address: `${SITE}/day/` },
    { slug: 'day', parent: 'pag_2' },
    `${SITE}/about/day/`,
  ],
  ['of the home page, whatever its slug', { slug: 'day', address: `${SITE}/` }, { slug: 'days' }, `${SITE}/`],
] as const)('names the address for visitors %s', async ([, known, draft, expected]) => {
  expect(await addressOf(known, draft)).toBe(expected);
});

it('names the present address of a published entry, independent of its draft', async () => {
  expect(await addressOf({ slug: 'day', address: `${SITE}/x/day/` }, { slug: 'days' }, 'published')).toBe(
    `${SITE}/x/day/`,
  );
});
