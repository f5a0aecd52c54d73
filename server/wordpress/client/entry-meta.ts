import { z } from 'zod';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import type { SiteKinds } from '#server/wordpress/client/site-kinds';

/* Fields of an entry that WordPress keeps as meta: texts for search engines, and custom fields. */

/** Texts for search engines on an entry, as a plugin of the site keeps them; empty: it makes its own. */
export const remoteSeoSchema = z.object({ title: z.string(), description: z.string() });
export type RemoteSeo = z.infer<typeof remoteSeoSchema>;

/** Texts to write into an entry's meta. */
export interface MetaChanges {
  /** Empty: its plugin makes one. Nothing where the site does not take them. */
  readonly seo?: Partial<RemoteSeo> | undefined;
  /** Custom fields; null takes one away. */
  readonly custom?: Readonly<Record<string, string | null>> | undefined;
}

/** Fields of the two large SEO plugins; over REST only where the site registers them, as our companion plugin does. */
const PLUGINS = [
  { title: '_yoast_wpseo_title', description: '_yoast_wpseo_metadesc' },
  { title: 'rank_math_title', description: 'rank_math_description' },
] as const;
type SeoKeys = (typeof PLUGINS)[number];

/** Null: the site does not show them. */
export function seoFromMeta(meta: Readonly<Record<string, unknown>>): RemoteSeo | null {
  for (const keys of PLUGINS) {
    const found = remoteSeoSchema.safeParse({ title: meta[keys.title], description: meta[keys.description] });
    if (found.success) return found.data;
  }
  return null;
}

/** Meta that is not a custom field of the site's own: SEO plugins', and what WordPress itself keeps there. */
const NOT_CUSTOM = new Set<string>([...PLUGINS.flatMap((keys) => Object.values(keys)), 'footnotes']);
const isCustom = (name: string) => !name.startsWith('_') && !NOT_CUSTOM.has(name);
const customValue = z.union([z.string().max(5_000), z.number(), z.boolean()]);
export type CustomFields = Readonly<Record<string, z.infer<typeof customValue>>>;

/** Custom fields that the site shows over REST, as far as they say something. */
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

/** Fields of a type of entries that are written as meta. */
interface MetaKeys {
  readonly seo: SeoKeys | null;
  /** Names of the custom fields that hold one text. */
  readonly texts: readonly string[];
}

/** The part of a write that sets them; nothing where the site does not take them. */
export function createMetaWriter(site: SiteConnector, { routeOf }: Pick<SiteKinds, 'routeOf'>) {
  const known = new Map<string, Promise<MetaKeys>>();

  async function askKeys(type: string): Promise<MetaKeys> {
    // As a query: firewalls refuse the method itself.
    const request = { query: { _method: 'OPTIONS', _fields: 'schema' }, schema: routeSchema, what: `${type}s` };
    const { value } = await site.ask(await routeOf(type), request);
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
    isTaken: async (type: string): Promise<boolean> => (await keysOf(type)).seo !== null,
    textsOf: async (type: string): Promise<readonly string[]> => (await keysOf(type)).texts,
    async bodyOf(type: string, { seo, custom = {} }: MetaChanges): Promise<{ meta?: Record<string, string | null> }> {
      const keys = seo === undefined ? null : (await keysOf(type)).seo;
      // Null takes the field away: the plugin then makes one of its own.
      const set = (name: keyof SeoKeys) =>
        keys === null || seo?.[name] === undefined ? {} : { [keys[name]]: seo[name] || null };
      const meta = { ...set('title'), ...set('description'), ...custom };
      return Object.keys(meta).length === 0 ? {} : { meta };
    },
  };
}
