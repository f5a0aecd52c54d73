import * as api from '../.cache/hey-api';
import { client } from '../.cache/hey-api/client.gen';
import { pixel, type StoryReport, until } from './story';

/** A conversation, a page and a picture with the client of @hey-api/openapi-ts. */
export async function story(baseUrl: string, slug: string): Promise<StoryReport> {
  client.setConfig({ baseUrl });
  const throwOnError = true;
  const session = (await api.postSessions({ body: { title: 'Spring menu' }, throwOnError })).data;
  const path = { id: session.id };
  await api.postMessageQueue({
    body: { sessionId: session.id, message: { role: 'user', parts: [{ type: 'text', text: 'List the pages' }] } },
    throwOnError,
  });
  const answer = await until(async () => {
    const { items } = (await api.getSessionsByIdMessages({ path, throwOnError })).data;
    return items.find(
      (message) => 'status' in message && message.role === 'assistant' && message.status === 'complete',
    );
  });

  const body = { title: 'Glaze workshop', slug, sections: [{ type: 'hero', fields: { heading: 'Glazes' } }] } as const;
  const made = await api.postContentByCollection({
    path: { collection: 'pages' },
    body: { ...body, sections: [...body.sections] },
    throwOnError,
  });
  const entry = { collection: 'pages', ref: made.data.entry.id } as const;
  const changed = await api.patchContentByCollectionByRef({
    path: entry,
    body: { operations: [{ op: 'set', field: 'title', value: 'Glaze course' }] },
    throwOnError,
  });
  await api.postContentUndo({ body: { changeId: changed.data.change.id }, throwOnError });
  const undone = await api.getContentByCollectionByRef({ path: entry, throwOnError });
  await api.postContentByCollectionByRefPublish({ path: entry, throwOnError });
  const published = await api.getContentByCollectionByRef({ path: entry, throwOnError });

  const added = await api.postContentMedia({ body: pixel, query: { filename: 'pixel.png' }, throwOnError });
  await api.deleteSessionsById({ path, throwOnError });
  const gone = await api.getSessionsById({ path });
  return {
    title: session.title,
    hasTime: session.createdAt > 1_600_000_000_000,
    answeredBy: answer.role,
    published: published.data.status,
    titles: [changed.data.entry.draft.title, undone.data.draft.title],
    picture: [added.data.asset.width, added.data.asset.height],
    refusal: gone.error?.error.code ?? 'none',
  };
}
