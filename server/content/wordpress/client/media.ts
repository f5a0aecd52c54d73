import { z } from 'zod';
import { allOf, collect } from '#server/content/wordpress/client/paging';
import { gmtFromTime } from '#server/content/wordpress/client/remote-entry';
import {
  mediaAnswerSchema,
  mediaFromAnswer,
  type RemoteMediaFields,
} from '#server/content/wordpress/client/remote-media';
import { htmlFromText } from '#server/content/wordpress/client/remote-text';
import type { SiteConnector } from '#server/content/wordpress/client/site-request';
import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';

const ROUTE = '/wp/v2/media';
const FIELDS = 'id,title.raw,alt_text,mime_type,source_url,date_gmt,modified_gmt,media_details';
const EDIT = { context: 'edit', _fields: FIELDS };
const WHAT = 'picture';
const schema = mediaAnswerSchema.transform(mediaFromAnswer);

export function createMedia(site: SiteConnector): WordPressClient['media'] {
  const update = async (id: number, fields: RemoteMediaFields) =>
    (await site.ask(`${ROUTE}/${id}`, { method: 'POST', query: EDIT, body: bodyFrom(fields), schema, what: WHAT, id }))
      .value;

  return {
    list: ({ modifiedSince } = {}, signal) =>
      allOf(site, ROUTE, {
        query: {
          ...EDIT,
          media_type: 'image',
          modified_after: modifiedSince === undefined ? undefined : `${gmtFromTime(modifiedSince - 1_000)}Z`,
        },
        item: schema,
        what: 'pictures',
        signal,
      }),
    async ids(signal) {
      const item = z.object({ id: z.number() }).transform(({ id }) => id);
      const query = { context: 'edit', _fields: 'id', media_type: 'image' };
      return collect(allOf(site, ROUTE, { query, item, what: 'pictures', signal }));
    },
    async get(id, signal) {
      return (await site.ask(`${ROUTE}/${id}`, { query: EDIT, schema, what: WHAT, id, signal })).value;
    },
    async upload(data, filename, mediaType, fields) {
      const { value } = await site.ask(ROUTE, {
        method: 'POST',
        query: EDIT,
        body: { data, headers: { 'content-type': mediaType, 'content-disposition': attachment(filename) } },
        schema,
        what: WHAT,
      });
      return fields === undefined ? value : update(value.remoteId, fields);
    },
    update,
    async remove(id) {
      await site.ask(`${ROUTE}/${id}`, {
        method: 'DELETE',
        query: { force: 'true', _fields: 'deleted' },
        schema: z.unknown(),
        what: WHAT,
        id,
        onFault: ({ code }) => (code === 'rest_post_invalid_id' ? {} : undefined),
      });
    },
    async download({ sourceUrl }, maxBytes, signal) {
      return (await site.visit(sourceUrl, maxBytes, signal)).data;
    },
  };
}

function bodyFrom({ alt, title }: RemoteMediaFields): Record<string, string> {
  return {
    ...(alt !== undefined && { alt_text: htmlFromText(alt) }),
    ...(title !== undefined && { title: htmlFromText(title) }),
  };
}

/**
 * WordPress reads `filename` alone, and its bytes as UTF-8; a header is made of bytes, each written as the character of
 * that number.
 */
function attachment(filename: string): string {
  const safe = filename.replaceAll(/[\p{Cc}";\\/]+/gu, '-');
  return `attachment; filename="${Buffer.from(safe, 'utf8').toString('latin1')}"`;
}
