import * as api from '../.cache/orval/client';
import { pixel, type StoryReport, until } from './story';

/** Data of the responses with one of these statuses. */
type DataOf<R, S> = R extends { readonly status: infer T; readonly data: infer Data }
  ? T extends S
    ? Data
    : never
  : never;

/** @throws Error for a response with another status */
function required<R extends { readonly status: number; readonly data: unknown }, S extends R['status']>(
  response: R,
  status: S,
): DataOf<R, S> {
  if (response.status !== status) throw new Error(`Answered with ${response.status}.`);
  return response.data as DataOf<R, S>;
}

/** A conversation, a page and a picture with the client of orval. The address of the server is part of the client. */
export async function story(_baseUrl: string, slug: string): Promise<StoryReport> {
  const session = required(await api.postSessions({ title: 'Spring menu' }), 201);
  await api.postMessageQueue({
    sessionId: session.id,
    message: { role: 'user', parts: [{ type: 'text', text: 'List the pages' }] },
  });
  const answer = await until(async () => {
    const { items } = required(await api.getSessionsByIdMessages(session.id), 200);
    return items.find(
      (message) => 'status' in message && message.role === 'assistant' && message.status === 'complete',
    );
  });

  const made = required(
    await api.postContentByCollection('pages', {
      title: 'Glaze workshop',
      slug,
      sections: [{ type: 'hero', fields: { heading: 'Glazes' } }],
    }),
    201,
  );
  const { id } = made.entry;
  const operations = [{ op: 'set', field: 'title', value: 'Glaze course' } as const];
  const changed = required(await api.patchContentByCollectionByRef('pages', id, { operations }), 200);
  await api.postContentUndo({ changeId: changed.change.id });
  const undone = required(await api.getContentByCollectionByRef('pages', id), 200);
  await api.postContentByCollectionByRefPublish('pages', id);
  const published = required(await api.getContentByCollectionByRef('pages', id), 200);

  const added = required(await api.postContentMedia(pixel, { filename: 'pixel.png' }), 201);
  await api.deleteSessionsById(session.id);
  const gone = await api.getSessionsById(session.id);
  return {
    title: session.title,
    hasTime: session.createdAt > 1_600_000_000_000,
    answeredBy: answer.role,
    published: published.status,
    titles: [changed.entry.draft.title, undone.draft.title],
    picture: [added.asset.width, added.asset.height],
    refusal: gone.status === 404 ? gone.data.error.code : 'none',
  };
}
