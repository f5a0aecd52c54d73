import { messageOfText } from '#server/core/message-data';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import { decodeEntities, htmlFromText } from '#server/markup/html-text';
import { createAbilities } from '#server/wordpress/client/abilities';
import { COMPANION, createEntries, linkedSchema, savesFiltered } from '#server/wordpress/client/entries';
import { createTags } from '#server/wordpress/client/tags';
import { gmtFromTime } from '#server/wordpress/client/remote-entry';
import { createMetaWriter, seoPluginOf } from '#server/wordpress/client/entry-meta';
import { createMenus } from '#server/wordpress/client/menus';
import {
  bodyFromSettings,
  mediaSchema,
  type RemoteComment,
  remoteCommentSchema,
  settingsSchema,
  userSchema,
  type WordPressClient,
} from '#server/wordpress/client/wordpress-client';
import { createSiteKinds } from '#server/wordpress/client/site-kinds';
import { buildersOf } from '#server/wordpress/client/page-builders';
import {
  createSiteConnector,
  type RestAccess,
  type SiteConnector,
  type SiteIndex,
} from '#server/wordpress/client/site-connector';
import { allOf, collect, createCollection } from '#server/wordpress/client/collections';
import { ForbiddenError, SiteUnavailableError, ThroughlineError } from '#server/core/errors';
import type { SiteAbilities, SiteTest } from '#server/core/site/remote-site';

/**
 * The client of one site as one user. Sends no request before the first call. @throws InvalidInputError for an address
 */
export function createWordPressClient(connection: RestAccess): WordPressClient {
  const site = createSiteConnector(connection);
  const kinds = createSiteKinds(site);
  const tags = createTags(site, kinds);
  return {
    entries: createEntries(site, tags, kinds),
    media: createMedia(site),
    tags,
    menus: createMenus(site),
    abilities: createAbilities(site),
    settings: createSettings(site),
    seoPlugin: () => seoPluginOf(site),
    visit: async (address, maxBytes) => (await site.visit(address, maxBytes)).data,
    async isThere(address) {
      const { status } = await site.look(address);
      if (status >= 500)
        throw new SiteUnavailableError(serverText('site-not-shown', { address, status: String(status) }));
      return status < 400;
    },
    comments: createComments(site),
  };
}

const ROUTE = '/wp/v2/media';
const FIELDS = 'id,alt_text,mime_type,source_url,date_gmt,modified_gmt,media_details';
const EDIT = { context: 'edit', _fields: FIELDS };

function createMedia(site: SiteConnector): WordPressClient['media'] {
  const { read, write, remove } = createCollection(site, ROUTE, { query: EDIT, schema: mediaSchema, what: 'picture' });
  const update = (id: number, { alt }: { readonly alt: string }) => write(id, { alt_text: htmlFromText(alt) });

  return {
    list: ({ modifiedSince } = {}, signal) =>
      allOf(site, ROUTE, {
        query: {
          ...EDIT,
          media_type: 'image',
          modified_after: modifiedSince === undefined ? undefined : `${gmtFromTime(modifiedSince - 1_000)}Z`,
        },
        item: mediaSchema,
        what: 'pictures',
        signal,
      }),
    async ids(signal) {
      const item = z.object({ id: z.number() }).transform(({ id }) => id);
      const query = { context: 'edit', _fields: 'id', media_type: 'image' };
      return collect(allOf(site, ROUTE, { query, item, what: 'pictures', signal }));
    },
    get: read,
    async upload(data, filename, mediaType, fields) {
      const headers = { 'content-type': mediaType, 'content-disposition': attachment(filename) };
      return update((await write(undefined, { data, headers })).remoteId, fields);
    },
    update,
    remove,
    async download({ sourceUrl }, maxBytes, signal) {
      return (await site.visit(sourceUrl, maxBytes, signal)).data;
    },
  };
}

/**
 * WordPress reads only `filename`, and its bytes as UTF-8; a header consists of bytes, each written as the character
 * with that number.
 */
function attachment(filename: string): string {
  const safe = filename.replaceAll(/[\p{Cc}";\\/]+/gu, '-');
  return `attachment; filename="${Buffer.from(safe, 'utf8').toString('latin1')}"`;
}

const SETTINGS = '/wp/v2/settings';
const COMMENTS = '/wp/v2/comments';
/** Maximum number of comments that are read. A choice, not measured. */
const MAX_COMMENTS = 300;

/** Commenter's address and browser: WordPress stores ours if a write omits them. */
const hiddenSchema = z.object({ id: z.number(), author_ip: z.string(), author_user_agent: z.string() });

function createComments(site: SiteConnector): WordPressClient['comments'] {
  const withStatus = <T>(entryId: number, status: string, item: z.ZodType<T>, fields: string): Promise<T[]> => {
    const query = { context: 'edit', _fields: fields, post: String(entryId), status };
    return collect(allOf(site, COMMENTS, { query, item, what: 'comments' }));
  };
  return {
    async of(entryId) {
      const found: RemoteComment[] = [];
      try {
        for (const status of ['all', 'spam', 'trash']) {
          found.push(...(await withStatus(entryId, status, remoteCommentSchema, 'id,status')));
        }
      } catch (error) {
        if (!(error instanceof ThroughlineError)) throw error;
      }
      return found.slice(0, MAX_COMMENTS);
    },
    async restore(entryId, comments) {
      const fields = 'id,author_ip,author_user_agent';
      const hidden = await withStatus(entryId, 'post-trashed', hiddenSchema, fields).catch(() => []);
      let left = comments.length;
      for (const { id, ...author } of hidden) {
        const status = comments.find((comment) => comment.id === id)?.status;
        if (status === undefined) continue;
        const write = { method: 'POST', query: { _fields: 'id' }, body: { status, ...author } } as const;
        const written = site.ask(`${COMMENTS}/${id}`, { ...write, schema: z.unknown(), what: 'comment' });
        left -= await written.then(
          () => 1,
          () => 0,
        );
      }
      return left;
    },
  };
}

function createSettings(site: SiteConnector): WordPressClient['settings'] {
  return {
    async get(signal) {
      return (await site.ask(SETTINGS, { schema: settingsSchema, what: 'settings', signal })).value;
    },
    async update(fields) {
      const body = bodyFromSettings(fields);
      return (await site.ask(SETTINGS, { method: 'POST', body, schema: settingsSchema, what: 'settings' })).value;
    },
  };
}

/** Maximum bytes of the start page that a connection test reads. A choice, not measured. */
const MAX_START_PAGE = 5_000_000;

/** Tests a connection, and determines what can be done over it. Changes nothing on the site. */
export async function testConnection(connection: RestAccess): Promise<SiteTest> {
  try {
    const site = createSiteConnector(connection);
    const index = await site.index();
    const abilities = await findAbilities(site, connection.url, index);
    return { ok: true, name: decodeEntities(index.name) || site.host, abilities };
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const reason = messageOfText(error.text);
    return { ok: false, message: error.message, ...(reason && { reason }) };
  }
}

async function findAbilities(site: SiteConnector, url: string, index: SiteIndex): Promise<SiteAbilities> {
  const { value: user } = await site.ask('/wp/v2/users/me', {
    query: { context: 'edit' },
    schema: userSchema,
    what: 'user',
  });
  const can = (capability: string) => user.capabilities.has(capability);
  const canEditPages = can('edit_pages') && can('edit_others_pages');
  if (!can('edit_posts')) {
    throw new ForbiddenError(serverText('wordpress-no-write-access', { user: user.name }));
  }
  const takesPasswords = Object.keys(Object(index.authentication)).length > 0;
  const hasMenus = can('edit_theme_options') && (await offers(site, '/wp/v2/navigation'));
  const [canPublishPosts, canPublishPages] = [can('publish_posts'), can('publish_pages')];
  const canSetSeo = await createMetaWriter(site, createSiteKinds(site))
    .acceptsSeo('page')
    .catch(() => false);
  const plugin = await seoPluginOf(site);
  const about = { user: user.name };
  const publishes = canPublishPosts === canPublishPages ? null : canPublishPosts ? 'page' : 'post';
  const remarks = [
    (!canPublishPosts || !canPublishPages) && serverText('wordpress-cannot-publish', { ...about, type: publishes }),
    !canEditPages && serverText('wordpress-cannot-edit-pages', about),
    !can('upload_files') && serverText('wordpress-cannot-upload', about),
    !can('manage_options') && serverText('wordpress-cannot-set-settings', about),
    !hasMenus && serverText('wordpress-cannot-set-menu', about),
    hasMenus && (await remarkOnMenu(site)),
    (await isFiltered(site, can('unfiltered_html'))) && serverText('wordpress-filters-everything', about),
    !takesPasswords && serverText('wordpress-passwords-off'),
    ...buildersOf(index.namespaces).map(({ name, isDetectable }) =>
      serverText('wordpress-page-builder', { name, isDetectable }),
    ),
    !index.namespaces.includes(COMPANION) && serverText('wordpress-no-companion'),
    isReadOnTheWay(url) && serverText('wordpress-unencrypted'),
    !canSetSeo && serverText('wordpress-no-seo', { plugin }),
    serverText('wordpress-no-authors'),
    serverText('wordpress-no-appearance'),
  ].filter((remark) => remark !== false);
  return {
    version: await findVersion(site),
    userName: user.name,
    canPublish: canPublishPosts && canPublishPages,
    canEditPages,
    canUpload: can('upload_files'),
    canSetSettings: can('manage_options'),
    canSetNavigation: hasMenus,
    canSetSeo,
    tools: await createAbilities(site)
      .list()
      .catch(() => []),
    remarks: remarks.map(({ text }) => text),
    remarkMessages: remarks.map(({ code, params }) => ({ code, params })),
  };
}

/**
 * True if WordPress filters what this user saves. Any entry shows it; the list of a user's rights does not, because a
 * multisite withdraws this right without removing it from the list.
 */
async function isFiltered(site: SiteConnector, isInRole: boolean): Promise<boolean> {
  for (const route of ['/wp/v2/posts', '/wp/v2/pages']) {
    const query = { context: 'edit', per_page: 1, status: 'any', _fields: 'id,_links' };
    const request = { query, schema: z.array(linkedSchema), what: 'entries', onFault: () => [] };
    const [entry] = (await site.ask(route, request)).value;
    const filtered = entry === undefined ? undefined : savesFiltered(entry);
    if (filtered !== undefined) return filtered;
  }
  return !isInRole;
}

/** True if the site has this route and lets us read it. */
async function offers(site: SiteConnector, route: string): Promise<boolean> {
  const query = { context: 'edit', per_page: 1, _fields: 'id' };
  return site.ask(route, { query, schema: z.array(z.unknown()), what: 'menus' }).then(
    () => true,
    () => false,
  );
}

/** Explains what happens to the menu if visitors would not see it. */
async function remarkOnMenu(site: SiteConnector): Promise<ServerText | false> {
  const { hidden } = await createMenus(site).find();
  return hidden !== null && serverText('wordpress-menu-not-shown', { reason: hidden });
}

/** Version of WordPress that the start page names; many sites do not name it. */
async function findVersion(site: SiteConnector): Promise<string | null> {
  try {
    const { data } = await site.visit('', MAX_START_PAGE);
    return /<meta name="generator" content="WordPress ([\d.]{1,20})/.exec(new TextDecoder().decode(data))?.[1] ?? null;
  } catch (error) {
    if (error instanceof ThroughlineError) return null;
    throw error;
  }
}

function isReadOnTheWay(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(?:localhost|127\.|\[::1\])/.test(hostname);
}
