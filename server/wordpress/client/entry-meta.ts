import { z } from 'zod';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import type { SiteKinds } from '#server/wordpress/client/site-kinds';

/* Fields of an entry that WordPress stores as meta: texts for search engines, and custom fields. */

/** Texts for search engines on an entry, from a plugin of the site; empty: the plugin generates them. */
export const remoteSeoSchema = z.object({ title: z.string(), description: z.string() });
/** Texts for search engines, as read from an entry. */
export type RemoteSeo = z.infer<typeof remoteSeoSchema>;

/** Texts to write into an entry's meta. */
export interface MetaChanges {
  /** Empty: the plugin generates one. Ignored if the site does not accept them. */
  readonly seo?: Partial<RemoteSeo> | undefined;
  /** Custom fields; null removes one. */
  readonly custom?: Readonly<Record<string, string | null>> | undefined;
}

/**
 * Fields of the two large SEO plugins; available over REST only if the site registers them, as our companion plugin
 * does.
 */
const PLUGINS = [
  { title: '_yoast_wpseo_title', description: '_yoast_wpseo_metadesc' },
  { title: 'rank_math_title', description: 'rank_math_description' },
] as const;
type SeoKeys = (typeof PLUGINS)[number];
/** REST namespaces of these plugins, with their names. */
const SEO_NAMESPACES: Readonly<Record<string, string>> = { 'yoast/v1': 'Yoast SEO', 'rankmath/v1': 'Rank Math' };

/** Name of the site's SEO plugin; null: none that is known. */
export async function seoPluginOf(site: SiteConnector): Promise<string | null> {
  const { namespaces } = await site.index();
  return namespaces.map((namespace) => SEO_NAMESPACES[namespace]).find((name) => name !== undefined) ?? null;
}

/** The texts for search engines in the meta fields of an entry; null if the site does not show them. */
export function seoFromMeta(meta: Readonly<Record<string, unknown>>): RemoteSeo | null {
  for (const keys of PLUGINS) {
    const found = remoteSeoSchema.safeParse({ title: meta[keys.title], description: meta[keys.description] });
    if (found.success) return found.data;
  }
  return null;
}

/** Meta that does not count as a custom field of the site: that of SEO plugins, and WordPress's own. */
const NOT_CUSTOM = new Set<string>([...PLUGINS.flatMap((keys) => Object.values(keys)), 'footnotes']);
const isCustom = (name: string) => !name.startsWith('_') && !NOT_CUSTOM.has(name);
/**
 * Maximum characters of the text in a custom field. A choice, not measured: longer ones are usually data of plugins,
 * which people do not read.
 */
const MAX_CUSTOM_TEXT = 5_000;
const customValue = z.union([z.string().max(MAX_CUSTOM_TEXT), z.number(), z.boolean()]);
/** Custom fields by their names. */
export type CustomFields = Readonly<Record<string, z.infer<typeof customValue>>>;

/** Custom fields that the site shows over REST, without empty ones. */
export function customFromMeta(meta: Readonly<Record<string, unknown>>): CustomFields {
  const found = Object.entries(meta).flatMap(([name, value]) => {
    const parsed = isCustom(name) ? customValue.safeParse(value).data : undefined;
    return parsed === undefined || parsed === '' || parsed === 0 || parsed === false ? [] : [[name, parsed] as const];
  });
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const routeSchema = z.object({
  schema: z
    .object({ properties: z.object({ meta: z.object({ properties: z.record(z.string(), z.unknown()) }) }) })
    .optional()
    .catch(undefined),
});

/** Fields of an entry type that are written as meta. */
interface MetaKeys {
  readonly seo: SeoKeys | null;
  /** Names of the custom fields that contain one text. */
  readonly texts: readonly string[];
}

/**
 * Creates a writer for the meta fields of a site's entries. Which fields a type has is asked once per type; a failed
 * request is repeated on the next call.
 */
export function createMetaWriter(site: SiteConnector, kinds: SiteKinds) {
  const known = new Map<string, Promise<MetaKeys>>();

  async function askKeys(type: string): Promise<MetaKeys> {
    // As a query, because firewalls refuse the OPTIONS method.
    const request = { query: { _method: 'OPTIONS', _fields: 'schema' }, schema: routeSchema, what: `${type}s` };
    const { value } = await site.ask(await kinds.routeOf(type), request);
    const meta = value.schema?.properties.meta.properties ?? {};
    const isText = (field: unknown) => (field as { type?: unknown } | null)?.type === 'string';
    return {
      seo: PLUGINS.find(({ title, description }) => title in meta && description in meta) ?? null,
      texts: Object.keys(meta).filter((name) => isCustom(name) && isText(meta[name])),
    };
  }

  function keysOf(type: string): Promise<MetaKeys> {
    const asked = known.get(type) ?? askKeys(type);
    known.set(type, asked);
    asked.catch(() => known.delete(type));
    return asked;
  }

  return {
    /** True if entries of a type accept texts for search engines. */
    acceptsSeo: async (type: string): Promise<boolean> => (await keysOf(type)).seo !== null,
    /** Names of the custom fields of a type that contain one text and can be written. */
    textFieldsOf: async (type: string): Promise<readonly string[]> => (await keysOf(type)).texts,
    /**
     * The part of a write request that sets these fields; empty if there is nothing to set, or the site does not accept
     * it.
     */
    async writeBody(
      type: string,
      { seo, custom = {} }: MetaChanges,
    ): Promise<{ meta?: Record<string, string | null> }> {
      const keys = seo === undefined ? null : (await keysOf(type)).seo;
      // Null removes the field: the plugin then generates the text.
      const set = (name: keyof SeoKeys) =>
        keys === null || seo?.[name] === undefined ? {} : { [keys[name]]: seo[name] || null };
      const meta = { ...set('title'), ...set('description'), ...custom };
      return Object.keys(meta).length === 0 ? {} : { meta };
    },
  };
}
