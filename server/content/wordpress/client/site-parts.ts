import { z } from 'zod';
import { allOf, collect } from '#server/content/wordpress/client/paging';
import {
  bodyFromSettings,
  navigationAnswerSchema,
  navigationFromAnswer,
  type RemoteNavigationFields,
  settingsAnswerSchema,
  settingsFromAnswer,
} from '#server/content/wordpress/client/remote-site-parts';
import { htmlFromText } from '#server/content/wordpress/client/remote-text';
import type { SiteConnector } from '#server/content/wordpress/client/site-request';
import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';

const NAVIGATION = '/wp/v2/navigation';
const SETTINGS = '/wp/v2/settings';
const navigationSchema = navigationAnswerSchema.transform(navigationFromAnswer);
const settingsSchema = settingsAnswerSchema.transform(settingsFromAnswer);
const EDIT = { context: 'edit', _fields: 'id,status,title.raw,content.raw,modified_gmt' };

/** What a site has one of: its menus and its settings. */
export function createSiteParts(site: SiteConnector): Omit<WordPressClient, 'entries' | 'media' | 'tags'> {
  const writeNavigation = async (id: number | undefined, fields: RemoteNavigationFields) => {
    const { title, status, contentRaw } = fields;
    const { value } = await site.ask(id === undefined ? NAVIGATION : `${NAVIGATION}/${id}`, {
      method: 'POST',
      query: EDIT,
      body: {
        ...(title !== undefined && { title: htmlFromText(title) }),
        ...(status !== undefined && { status }),
        ...(contentRaw !== undefined && { content: contentRaw }),
      },
      schema: navigationSchema,
      what: 'menu',
      ...(id !== undefined && { id }),
    });
    return value;
  };

  return {
    navigation: {
      async list(signal) {
        const query = { ...EDIT, status: 'publish,draft', orderby: 'date', order: 'desc' };
        return collect(allOf(site, NAVIGATION, { query, item: navigationSchema, what: 'menus', signal }));
      },
      create: (fields) => writeNavigation(undefined, fields),
      update: (id, fields) => writeNavigation(id, fields),
      async remove(id) {
        await site.ask(`${NAVIGATION}/${id}`, {
          method: 'DELETE',
          query: { force: 'true', _fields: 'deleted' },
          schema: z.unknown(),
          what: 'menu',
          id,
          onFault: ({ code }) => (code === 'rest_post_invalid_id' ? {} : undefined),
        });
      },
    },
    settings: {
      async get(signal) {
        return (await site.ask(SETTINGS, { schema: settingsSchema, what: 'settings', signal })).value;
      },
      async update(fields) {
        const body = bodyFromSettings(fields);
        return (await site.ask(SETTINGS, { method: 'POST', body, schema: settingsSchema, what: 'settings' })).value;
      },
    },
  };
}
