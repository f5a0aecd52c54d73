import type { SiteServices } from '#server/services';
import { restoreOutcomeSchema } from '#server/core/site/changes';
import { requireOwnSession, route } from '#server/http/route';
import { NotFoundError } from '#server/core/errors';
import { restoreToBody, tryQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Makes one thing, or all that a session changed since, what it was right after a change',
    answer: restoreOutcomeSchema,
    access: 'content:draft',
    query: tryQuery,
    body: restoreToBody,
  },
  async ({ query, body, origin, services, anySession }) => {
    const { content } = services;
    await requireOwnSession({ services, anySession }, body.sessionId);
    const { changeId, targetId: named, path, sessionId, ...others } = body;
    const options = { ...others, dryRun: query.dryRun === true || others.dryRun };
    const targetId = named ?? (path === undefined ? undefined : await entryIdAt(content, changeId, path));
    const selection = targetId === undefined ? { sessionId } : { targetId };
    return content.restoreTo(changeId, selection, { ...origin, sessionId }, options);
  },
);

/** Id of the entry that was at a path after the change, else of the current entry of that path. @throws NotFoundError */
async function entryIdAt(
  content: Pick<SiteServices['content'], 'at' | 'findByPath'>,
  changeId: string,
  path: string,
): Promise<string> {
  const former = await (await content.at(changeId)).find(path);
  if (former?.kind === 'entry') return former.entry.id;
  const now = await content.findByPath(path, 'draft');
  if (now?.kind === 'entry') return now.entry.id;
  throw new NotFoundError('page', path);
}
