import * as models from '../.cache/typescript-fetch';
import { pixel, type StoryReport, until } from './story';

/** A conversation, a page and a picture with the client of openapi-generator (typescript-fetch). */
export async function story(basePath: string, slug: string): Promise<StoryReport> {
  const configuration = new models.Configuration({ basePath, fetchApi: fetch });
  const [sessions, chat, content, media] = [
    new models.SessionsApi(configuration),
    new models.ChatApi(configuration),
    new models.ContentApi(configuration),
    new models.MediaApi(configuration),
  ];
  const session = await sessions.postSessions({ createSessionBody: { title: 'Spring menu' } });
  const { id } = session;
  await chat.postMessageQueue({
    enqueueBody: {
      sessionId: id,
      message: { role: models.UserMessageRoleEnum.User, parts: [{ type: 'text', text: 'List the pages' }] },
    },
  });
  const answer = await until(async () => {
    const { items } = await sessions.getSessionsByIdMessages({ id });
    return (items as unknown as models.Message[]).find(
      ({ role, status }) => `${role} ${status}` === 'assistant complete',
    );
  });

  const made = await content.postContentByCollection({
    collection: models.PostContentByCollectionCollectionEnum.Pages,
    createEntryBody: {
      title: 'Glaze workshop',
      slug,
      sections: [{ type: models.NewSectionTypeEnum.Hero, fields: { heading: 'Glazes' as never } }],
    },
  });
  const ref = made.entry.id;
  const changed = await content.patchContentByCollectionByRef({
    collection: models.PatchContentByCollectionByRefCollectionEnum.Pages,
    ref,
    updateEntryBody: {
      operations: [{ op: 'set', field: models.DraftOperationSetFieldEnum.Title, value: 'Glaze course' as never }],
    },
  });
  // Not read: this generator takes an answer of one of two forms for both at once.
  await content.postContentUndoRaw({ undoBody: { changeId: changed.change.id } as models.UndoBody });
  const collection = models.GetContentByCollectionByRefCollectionEnum.Pages;
  const undone = await content.getContentByCollectionByRef({ collection, ref });
  await content.postContentByCollectionByRefPublish({
    collection: models.PostContentByCollectionByRefPublishCollectionEnum.Pages,
    ref,
  });
  const published = await content.getContentByCollectionByRef({ collection, ref });

  const added = await media.postContentMedia({ body: pixel, filename: 'pixel.png' });
  await sessions.deleteSessionsById({ id });
  const gone = await sessions.getSessionsById({ id }).then(
    () => null,
    (response: Response) => response.json() as Promise<models.ApiError>,
  );
  return {
    title: session.title,
    hasTime: session.createdAt > 1_600_000_000_000,
    answeredBy: answer.role,
    published: published.status,
    titles: [changed.entry.draft.title, undone.draft.title],
    picture: [added.asset.width, added.asset.height],
    refusal: gone?.error.code ?? 'none',
  };
}
