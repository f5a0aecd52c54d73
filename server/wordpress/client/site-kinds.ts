import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import { textFromHtml } from '#server/markup/html-text';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import { InvalidInputError } from '#server/core/errors';

/** A kind of content other than pages and posts: of a plugin, or WordPress's own reusable blocks. */
export interface SiteKind {
  /** `acme_project` */
  readonly slug: string;
  /** Last part of its route: `projects`. */
  readonly base: string;
  /** WordPress's singular name: `Project`. */
  readonly name: string;
  /** True if its content is written with WordPress's editor, and available over REST. */
  readonly hasEditor: boolean;
}

/** A way to group entries: `category`, `acme_area`; `post_tag` is handled separately. */
export interface RemoteTaxonomy {
  readonly slug: string;
  /** Last part of its route: `categories`. */
  readonly base: string;
  /** WordPress types whose entries it groups. */
  readonly types: readonly string[];
}

/** WordPress's type for blocks that several pages share. */
export const REUSABLE_BLOCK = 'wp_block';
/** Parts of WordPress itself that are not content, or that are handled elsewhere. */
const NO_KINDS = new Set(['page', 'post', 'attachment', 'nav_menu_item']);
const POST_TAG = 'post_tag';
/** Each kind costs a request whenever the site is checked. A choice, not measured. */
const MAX_KINDS = 12;

const namespaceSchema = z.string().default('wp/v2');
const typesSchema = z.record(
  z.string(),
  z.object({
    slug: z.string(),
    name: z.string(),
    labels: z.object({ singular_name: z.string() }).partial().optional().catch(undefined),
    viewable: z.boolean().default(false),
    supports: z.record(z.string(), z.unknown()).catch({}),
    rest_base: z.string(),
    rest_namespace: namespaceSchema,
  }),
);
const taxonomiesSchema = z.record(
  z.string(),
  z.object({
    slug: z.string(),
    types: z.array(z.string()).default([]),
    visibility: z.object({ public: z.boolean() }).partial().catch({}),
    rest_base: z.string(),
    rest_namespace: namespaceSchema,
  }),
);

/** Kinds and taxonomies of a site that its user may edit; requested once, and again by `look`. */
export interface SiteKinds {
  kinds(): Promise<readonly SiteKind[]>;
  /** The taxonomies of a WordPress type (`post`, `acme_project`), except tags. */
  taxonomiesOf(type: string): Promise<readonly RemoteTaxonomy[]>;
  /** `/wp/v2/projects`. @throws InvalidInputError for a type that the site does not have */
  routeOf(type: string): Promise<string>;
  /** `/wp/v2/categories`. @throws InvalidInputError */
  termsRouteOf(taxonomy: string): Promise<string>;
  look(signal?: AbortSignal): Promise<readonly SiteKind[]>;
}

/** Creates the reader of the kinds of a site. They are requested once; `look` requests them again. */
export function createSiteKinds(site: SiteConnector): SiteKinds {
  let found: Promise<{ kinds: readonly SiteKind[]; taxonomies: readonly RemoteTaxonomy[] }> | null = null;

  async function ask(signal?: AbortSignal) {
    // If a plugin does not show its kinds to any user, pages and posts can still be read.
    const query = { context: 'edit' };
    const onFault = () => ({});
    const types = await site.ask<z.output<typeof typesSchema>>('/wp/v2/types', {
      query,
      schema: typesSchema,
      what: 'types',
      signal,
      onFault,
    });
    const groups = await site.ask<z.output<typeof taxonomiesSchema>>('/wp/v2/taxonomies', {
      query,
      schema: taxonomiesSchema.catch({}),
      what: 'taxonomies',
      signal,
      onFault,
    });
    const kinds = Object.values(types.value).filter(
      ({ slug, viewable, rest_namespace: namespace }) =>
        namespace === 'wp/v2' && (slug === REUSABLE_BLOCK || (viewable && !NO_KINDS.has(slug))),
    );
    const taxonomies = Object.values(groups.value).filter(
      ({ slug, visibility, rest_namespace: namespace }) =>
        namespace === 'wp/v2' && slug !== POST_TAG && visibility.public === true,
    );
    return {
      kinds: kinds.slice(0, MAX_KINDS).map(({ slug, name, labels, supports, rest_base: base }) => ({
        slug,
        base,
        name: textFromHtml(labels?.singular_name ?? name),
        hasEditor: Boolean(supports['editor']),
      })),
      taxonomies: taxonomies.map(({ slug, types: of, rest_base: base }) => ({ slug, base, types: of })),
    };
  }

  function look(signal?: AbortSignal): NonNullable<typeof found> {
    const asking = ask(signal);
    asking.catch(() => (found = found === asking ? null : found));
    return (found = asking);
  }
  const all = () => found ?? look();

  return {
    kinds: async () => (await all()).kinds,
    taxonomiesOf: async (type) => (await all()).taxonomies.filter(({ types }) => types.includes(type)),
    async routeOf(type) {
      if (type === 'page' || type === 'post') return `/wp/v2/${type}s`;
      const kind = (await all()).kinds.find(({ slug }) => slug === type);
      if (kind !== undefined) return `/wp/v2/${kind.base}`;
      throw new InvalidInputError(serverText('wordpress-type-gone', { type }));
    },
    async termsRouteOf(taxonomy) {
      if (taxonomy === POST_TAG) return '/wp/v2/tags';
      const group = (await all()).taxonomies.find(({ slug }) => slug === taxonomy);
      if (group !== undefined) return `/wp/v2/${group.base}`;
      throw new InvalidInputError(serverText('wordpress-group-gone', { group: taxonomy }));
    },
    look: async (signal) => (await look(signal)).kinds,
  };
}
