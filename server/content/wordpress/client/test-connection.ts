import { z } from 'zod';
import { ForbiddenError, ThroughlineError } from '#server/core/errors';
import type { SiteAbilities, SiteTest } from '#server/core/remote-site';
import { decodeEntities } from '#server/content/html-entities';
import { userAnswerSchema, userFromAnswer } from '#server/content/wordpress/client/remote-site-parts';
import {
  createSiteConnector,
  type SiteConnection,
  type SiteConnector,
} from '#server/content/wordpress/client/site-request';

const MAX_START_PAGE = 5_000_000;
const userSchema = userAnswerSchema.transform(userFromAnswer);
const themeSchema = z.object({
  name: z.object({ raw: z.string().default('') }).optional(),
  theme_supports: z.object({ 'block-templates': z.boolean().default(false) }).optional(),
});

/** Tries a connection, and finds out what can be done over it. Changes nothing there. */
export async function testConnection(connection: SiteConnection): Promise<SiteTest> {
  try {
    const site = createSiteConnector(connection);
    const index = await site.index();
    const abilities = await findAbilities(site, connection.url, Object.keys(Object(index.authentication)).length > 0);
    return { ok: true, name: decodeEntities(index.name) || site.host, abilities };
  } catch (error) {
    if (error instanceof ThroughlineError) return { ok: false, message: error.message };
    throw error;
  }
}

async function findAbilities(site: SiteConnector, url: string, takesPasswords: boolean): Promise<SiteAbilities> {
  const { value: user } = await site.ask('/wp/v2/users/me', {
    query: { context: 'edit' },
    schema: userSchema,
    what: 'user',
  });
  const can = (capability: string) => user.capabilities.has(capability);
  const canEditPages = can('edit_pages') && can('edit_others_pages');
  if (!can('edit_posts')) {
    throw new ForbiddenError(`${user.name} may not write there. Give this user the role Editor or Administrator.`);
  }
  const hasMenus = can('edit_theme_options') && (await offers(site, '/wp/v2/navigation'));
  const canPublish = can('publish_posts') && can('publish_pages');
  const remarks = [
    !canPublish && `${user.name} may not publish: what is published here fails there.`,
    !canEditPages && `${user.name} may not change the pages of others.`,
    !can('upload_files') && `${user.name} may not upload pictures.`,
    !can('manage_options') &&
      `${user.name} may not change settings: site title, tagline and home page stay as they are.`,
    !hasMenus && `${user.name} cannot change the menu: that takes the right edit_theme_options and WordPress 5.9.`,
    hasMenus && (await remarkOnTheme(site)),
    !can('unfiltered_html') && `WordPress removes scripts, frames and forms from what ${user.name} saves.`,
    !takesPasswords && 'WordPress says that application passwords are off, although it takes this one.',
    isReadOnTheWay(url) && 'The connection is not encrypted: anybody on the way can read the password. Use https.',
    "Author names, SEO details and a page's excerpt and tags have no place in WordPress: they are kept here alone.",
    'Accent colour, footer text and contact address have no place in WordPress: they are kept here alone.',
  ].filter((remark) => typeof remark === 'string');
  return {
    version: await findVersion(site),
    userName: user.name,
    canPublish,
    canEditPages,
    canUpload: can('upload_files'),
    canSetSettings: can('manage_options'),
    canSetNavigation: hasMenus,
    remarks,
  };
}

/** Whether the site has this route, and lets us read it. */
async function offers(site: SiteConnector, route: string): Promise<boolean> {
  const query = { context: 'edit', per_page: 1, _fields: 'id' };
  return site.ask(route, { query, schema: z.array(z.unknown()), what: 'menus' }).then(
    () => true,
    () => false,
  );
}

async function remarkOnTheme(site: SiteConnector): Promise<string | false> {
  const query = { status: 'active', _fields: 'name,theme_supports' };
  const [theme] = await site.ask('/wp/v2/themes', { query, schema: z.array(themeSchema), what: 'themes' }).then(
    ({ value }) => value,
    () => [],
  );
  if (theme === undefined || theme.theme_supports?.['block-templates']) return false;
  return `The theme ${theme.name?.raw ?? ''} is none of blocks: it does not show the menu that is kept as blocks, but those under Appearance, Menus.`;
}

/** As the start page names it, which many sites keep from doing. */
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
