import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import type { Shape } from '#server/core/shapes';
import { textFromHtml } from '#server/markup/html-text';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import { allOf, collect, createCollection } from '#server/wordpress/client/collections';

/** The place of the theme that shows its menu, and the menu there. */
export interface MenuPlace {
  /** `blocks`: a `wp_navigation`; `classic`: the items of a menu under Appearance, Menus. */
  readonly kind: 'blocks' | 'classic';
  /** Null: no menu exists yet. */
  readonly remoteId: number | null;
  /** The theme's location for it; classic menus only. */
  readonly location: string | null;
  /** Sentence that explains why visitors do not see it; null: they see it. */
  readonly hidden: ServerText | null;
}

const texts = z.array(z.string());
/** An item of a classic menu. */
export const remoteMenuItemSchema = z.object({
  id: z.number(),
  /** HTML. */
  title: z.string(),
  url: z.string(),
  /** `custom`, `post_type`, `taxonomy` or `post_type_archive`. */
  type: z.string(),
  object: z.string(),
  objectId: z.number(),
  /** 0: on the top level. */
  parent: z.number(),
  order: z.number(),
  /** `_blank`: in a new window. */
  opensIn: z.string(),
  classes: texts,
  relations: texts,
  description: z.string(),
  /** Title attribute. */
  hint: z.string(),
  /** True if visitors see it: its target exists. */
  isShown: z.boolean(),
});
/** An item of a classic menu. */
export type RemoteMenuItem = Shape<typeof remoteMenuItemSchema>;

/** Writable fields of an item; an omitted field does not change. */
export type RemoteMenuItemFields = Partial<Omit<RemoteMenuItem, 'id' | 'isShown'>>;

/** A menu of blocks. */
export interface RemoteNavigation {
  readonly remoteId: number;
  readonly isPublished: boolean;
  /** Markup of `core/navigation-link`, `core/navigation-submenu`, `core/page-list`, ... blocks. */
  readonly contentRaw: string;
}

/** Requests for the main menu, which is a menu of blocks or a classic one. */
export interface Menus {
  /** Finds the menu that visitors see or, if they see none, the one that they would see. */
  find(signal?: AbortSignal): Promise<MenuPlace>;
  readonly blocks: {
    get(id: number, signal?: AbortSignal): Promise<RemoteNavigation>;
    create(contentRaw: string): Promise<RemoteNavigation>;
    update(id: number, contentRaw: string): Promise<RemoteNavigation>;
    remove(id: number): Promise<void>;
  };
  readonly classic: {
    /** Published items, in order. */
    items(menuId: number, signal?: AbortSignal): Promise<RemoteMenuItem[]>;
    /** Creates an empty menu, shown in this location of the theme. @returns its id */
    create(location: string | null): Promise<number>;
    remove(menuId: number): Promise<void>;
    /** @returns the id of the item */
    createItem(menuId: number, fields: RemoteMenuItemFields): Promise<number>;
    updateItem(id: number, fields: RemoteMenuItemFields): Promise<void>;
    removeItem(id: number): Promise<void>;
  };
}

const id = z.number().int().positive();
const raw = z.object({ raw: z.string().default('') }).optional();

const navigationSchema = z
  .object({ id, status: z.string(), content: raw })
  .transform(({ id: remoteId, status, content }): RemoteNavigation => ({
    remoteId,
    isPublished: status === 'publish',
    contentRaw: content?.raw ?? '',
  }));

const words = z.array(z.string()).default([]);
const itemSchema = z
  .object({
    id,
    title: raw,
    url: z.string().default(''),
    type: z.string().default('custom'),
    object: z.string().default(''),
    object_id: z.number().default(0),
    parent: z.number().default(0),
    menu_order: z.number().default(0),
    target: z.string().default(''),
    classes: words,
    xfn: words,
    description: z.string().default(''),
    attr_title: z.string().default(''),
    invalid: z.boolean().default(false),
  })
  .transform((item): RemoteMenuItem => ({
    id: item.id,
    title: item.title?.raw ?? '',
    url: item.url,
    type: item.type,
    object: item.object,
    objectId: item.object_id,
    parent: item.parent,
    order: item.menu_order,
    opensIn: item.target,
    classes: item.classes.filter(Boolean),
    relations: item.xfn.filter(Boolean),
    description: item.description.trim(),
    hint: item.attr_title,
    isShown: !item.invalid,
  }));

const ITEM_FIELDS =
  'id,title,url,type,object,object_id,parent,menu_order,target,classes,xfn,description,attr_title,invalid';
const NAMES = {
  order: 'menu_order',
  objectId: 'object_id',
  opensIn: 'target',
  relations: 'xfn',
  hint: 'attr_title',
} as const satisfies Partial<Record<keyof RemoteMenuItemFields, string>>;

const locationsSchema = z
  // PHP writes an empty list instead of an empty object.
  .array(z.unknown())
  .transform((): Record<string, { name: string; menu: number }> => ({}))
  .or(z.record(z.string(), z.object({ name: z.string(), menu: z.number().default(0) })));
const themeSchema = z.object({
  name: z.object({ raw: z.string().default('') }).optional(),
  theme_supports: z.object({ 'block-templates': z.boolean().default(false) }).optional(),
});
const templateSchema = z.object({
  slug: z.string().default(''),
  area: z.string().default(''),
  content: raw,
});
type Template = z.infer<typeof templateSchema>;

/** Names that themes use for the location of the main menu. */
const MAIN_LOCATION = /^(?:primary|main|header|menu-1|top)/i;
const MENU_NAME = 'Menu';

/** Creates the requests for the main menu of a site. */
export function createMenus(site: SiteConnector): Menus {
  const navigation = '/wp/v2/navigation';
  const query = { context: 'edit', _fields: 'id,status,content.raw' };
  const blocks = createCollection(site, navigation, { query, schema: navigationSchema, what: 'menu' });
  const itemsRoute = '/wp/v2/menu-items';
  const items = createCollection(site, itemsRoute, {
    query: { context: 'edit', _fields: 'id' },
    schema: z.object({ id }),
    what: 'menu item',
  });
  const menusRoute = '/wp/v2/menus';
  const menus = createCollection(site, menusRoute, {
    query: { _fields: 'id' },
    schema: z.object({ id }),
    what: 'menu',
  });

  /** Reads a list; empty if WordPress is too old to have it. */
  async function listOf<T>(route: string, item: z.ZodType<T>, fields: string, signal?: AbortSignal): Promise<T[]> {
    const { value } = await site.ask<T[]>(route, {
      query: { context: 'edit', _fields: fields, per_page: 100 },
      schema: z.array(item),
      what: 'menus',
      signal,
      onFault: ({ code }) => (code === 'rest_no_route' ? [] : undefined),
    });
    return value;
  }

  async function theme(signal?: AbortSignal) {
    const { value } = await site.ask('/wp/v2/themes', {
      query: { status: 'active', _fields: 'name,theme_supports' },
      schema: z.array(themeSchema),
      what: 'themes',
      signal,
      onFault: ({ code }) => (code === 'rest_no_route' ? [] : undefined),
    });
    return value[0];
  }

  async function locations(signal?: AbortSignal) {
    const { value } = await site.ask<z.infer<typeof locationsSchema>>('/wp/v2/menu-locations', {
      query: { context: 'edit' },
      schema: locationsSchema,
      what: 'menus',
      signal,
      onFault: ({ code }) => (code === 'rest_no_route' ? {} : undefined),
    });
    return Object.values(value);
  }

  async function newestNavigation(signal?: AbortSignal): Promise<number | null> {
    const list = { ...query, status: 'publish', orderby: 'date', order: 'desc' };
    const found = await collect(
      allOf(site, navigation, { query: list, item: navigationSchema, what: 'menus', signal }),
    );
    return found[0]?.remoteId ?? null;
  }

  async function ofBlockTheme(name: string, templates: readonly Template[], signal?: AbortSignal): Promise<MenuPlace> {
    const parts = await listOf('/wp/v2/template-parts', templateSchema, 'slug,area,content.raw', signal);
    const shown = shownNavigation(templates, parts);
    const place = { kind: 'blocks', location: null } as const;
    if (shown?.ref !== undefined) return { ...place, remoteId: shown.ref, hidden: null };
    const remoteId = await newestNavigation(signal);
    const why =
      shown === null
        ? serverText('wordpress-no-menu', { theme: name })
        : serverText('wordpress-menu-in-template', { theme: name, template: shown.slug });
    return { ...place, remoteId, hidden: shown?.isFallback ? null : why };
  }

  /** A block theme has a template for every page without a specific one; other themes may have some templates, too. */
  async function templatesOf(
    active: z.infer<typeof themeSchema> | undefined,
    signal?: AbortSignal,
  ): Promise<Template[] | null> {
    if (active?.theme_supports?.['block-templates'] !== true) return null;
    const templates = await listOf('/wp/v2/templates', templateSchema, 'slug,content.raw', signal);
    return templates.some(({ slug }) => slug === 'index') ? templates : null;
  }

  return {
    async find(signal) {
      const active = await theme(signal);
      const name = textFromHtml(active?.name?.raw ?? '');
      const templates = await templatesOf(active, signal);
      if (templates !== null) return ofBlockTheme(name, templates, signal);
      const places = await locations(signal);
      const filled = places.filter(({ menu }) => menu !== 0);
      const isMain = (place: { name: string }) => MAIN_LOCATION.test(place.name);
      const chosen = filled.find(isMain) ?? filled[0] ?? places.find(isMain) ?? places[0];
      if (chosen !== undefined) {
        return { kind: 'classic', remoteId: chosen.menu || null, location: chosen.name, hidden: null };
      }
      const hidden = active === undefined ? null : serverText('wordpress-no-menu', { theme: name });
      return { kind: 'blocks', location: null, remoteId: await newestNavigation(signal), hidden };
    },
    blocks: {
      get: blocks.read,
      create: (contentRaw) => blocks.write(undefined, { title: MENU_NAME, status: 'publish', content: contentRaw }),
      update: (menuId, contentRaw) => blocks.write(menuId, { content: contentRaw }),
      remove: blocks.remove,
    },
    classic: {
      async items(menuId, signal) {
        const list = { context: 'edit', menus: menuId, _fields: ITEM_FIELDS, orderby: 'menu_order' };
        const found = await collect(
          allOf(site, itemsRoute, { query: list, item: itemSchema, what: 'menu items', signal }),
        );
        return found.toSorted((a, b) => a.order - b.order);
      },
      async create(location) {
        // Menu names are unique.
        for (let n = 1; ; n += 1) {
          const name = n === 1 ? MENU_NAME : `${MENU_NAME} ${n}`;
          const { value } = await site.ask<{ id: number }>(menusRoute, {
            method: 'POST',
            query: { _fields: 'id' },
            body: { name, ...(location !== null && { locations: [location] }) },
            schema: z.object({ id: z.number() }),
            what: 'menu',
            onFault: ({ code }) => (n < 20 && /exists/.test(code) ? { id: 0 } : undefined),
          });
          if (value.id !== 0) return value.id;
        }
      },
      remove: menus.remove,
      createItem: async (menuId, fields) =>
        (await items.write(undefined, { ...bodyOf(fields), menus: menuId, status: 'publish' })).id,
      async updateItem(itemId, fields) {
        await items.write(itemId, bodyOf(fields));
      },
      removeItem: items.remove,
    },
  };
}

function bodyOf(fields: RemoteMenuItemFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [NAMES[name as keyof typeof NAMES] ?? name, value as unknown]),
  );
}

/** A block that shows a menu; its attributes are read up to a length that no theme reaches. */
const NAVIGATION_BLOCK = /<!--\s+wp:navigation\s+(\{[^]{0,5000}?\}\s+)?(\/)?-->/;
const TEMPLATE_PART = /<!--\s+wp:template-part\s+\{[^}]{0,2000}"slug":"([^"]{1,200})"[^}]{0,2000}\}\s+\/?-->/g;
/** The start page first, because its menu is the main one. */
const TEMPLATES = ['front-page', 'home', 'index', 'page', 'singular'];

interface ShownNavigation {
  readonly slug: string;
  readonly ref?: number;
  /** True if WordPress shows the newest menu there, or if this cannot be ruled out. */
  readonly isFallback: boolean;
}

/** The first block that shows a menu, according to the templates of a theme; null: they contain none. */
function shownNavigation(templates: readonly Template[], parts: readonly Template[]): ShownNavigation | null {
  const first = TEMPLATES.flatMap((slug) => templates.find((template) => template.slug === slug) ?? []);
  const headers = parts.filter(({ area, slug }) => area === 'header' || slug === 'header');
  const seen = [...new Set([...first, ...headers, ...templates, ...parts])];
  let isUnknown = false;
  for (const { slug, content } of seen) {
    const text = (content?.raw ?? '').replaceAll(
      TEMPLATE_PART,
      (_, name: string) => parts.find((part) => part.slug === name)?.content?.raw ?? '',
    );
    isUnknown ||= text.includes('<!-- wp:pattern ');
    const match = NAVIGATION_BLOCK.exec(text);
    if (match === null) continue;
    const ref = /"ref":(\d+)/.exec(match[1] ?? '')?.[1];
    if (ref !== undefined) return { slug, ref: Number(ref), isFallback: false };
    const rest = text.slice(match.index + match[0].length);
    return { slug, isFallback: match[2] !== undefined || /^\s*<!--\s+\/wp:navigation\s+-->/.test(rest) };
  }
  return isUnknown || seen.length === 0 ? { slug: '', isFallback: true } : null;
}
