import { z } from 'zod';
import type { EntryType } from '#server/core/content';
import type { SiteConnector } from '#server/wordpress/client/site-request';

/** Texts for search engines on an entry, as a plugin of the site keeps them; empty: it makes its own. */
export const remoteSeoSchema = z.object({ title: z.string(), description: z.string() });
export type RemoteSeo = z.infer<typeof remoteSeoSchema>;

/** Fields of the two large SEO plugins; over REST only where the site registers them, as our companion plugin does. */
const PLUGINS = [
  { title: '_yoast_wpseo_title', description: '_yoast_wpseo_metadesc' },
  { title: 'rank_math_title', description: 'rank_math_description' },
] as const;
type SeoKeys = (typeof PLUGINS)[number];

/** For `_fields` of a request. */
export const SEO_FIELDS = PLUGINS.flatMap(({ title, description }) => [`meta.${title}`, `meta.${description}`]).join(
  ',',
);

/** Null: the site does not show them. */
export function seoFromMeta(meta: Readonly<Record<string, unknown>>): RemoteSeo | null {
  for (const keys of PLUGINS) {
    const found = remoteSeoSchema.safeParse({ title: meta[keys.title], description: meta[keys.description] });
    if (found.success) return found.data;
  }
  return null;
}

const routeSchema = z.object({
  schema: z
    .object({ properties: z.object({ meta: z.object({ properties: z.record(z.string(), z.unknown()) }) }) })
    .optional()
    .catch(undefined),
});

/** The part of a write that sets them; nothing where the site does not take them. */
export function createSeoWriter(site: SiteConnector) {
  const known = new Map<EntryType, Promise<SeoKeys | null>>();

  async function askKeys(type: EntryType): Promise<SeoKeys | null> {
    // As a query: firewalls refuse the method itself.
    const request = { query: { _method: 'OPTIONS', _fields: 'schema' }, schema: routeSchema, what: `${type}s` };
    const { value } = await site.ask(`/wp/v2/${type}s`, request);
    const meta = value.schema?.properties.meta.properties ?? {};
    return PLUGINS.find(({ title, description }) => title in meta && description in meta) ?? null;
  }

  function keysOf(type: EntryType): Promise<SeoKeys | null> {
    const asked = known.get(type) ?? askKeys(type);
    known.set(type, asked);
    asked.catch(() => known.delete(type));
    return asked;
  }

  return {
    isTaken: async (type: EntryType): Promise<boolean> => (await keysOf(type)) !== null,
    async bodyOf(
      type: EntryType,
      seo: Partial<RemoteSeo> | undefined,
    ): Promise<{ meta?: Record<string, string | null> }> {
      const keys = seo === undefined ? null : await keysOf(type);
      if (seo === undefined || keys === null) return {};
      // Null takes the field away: the plugin then makes one of its own.
      const set = (name: keyof SeoKeys) => (seo[name] === undefined ? {} : { [keys[name]]: seo[name] || null });
      return { meta: { ...set('title'), ...set('description') } };
    },
  };
}
