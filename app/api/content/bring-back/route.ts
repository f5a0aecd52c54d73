import type { SiteServices } from '#server/services';
import { broughtBackSchema } from '#server/core/changes';
import { route } from '#server/http/route';
import { NotFoundError } from '#server/core/errors';
import { bringBackBody, tryQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Makes one thing, or all that a session changed since, what it was right after a change',
    answer: broughtBackSchema,
    access: 'content:draft',
    query: tryQuery,
    body: bringBackBody,
  },
  async ({ query, body, origin, services: { content } }) => {
    const { changeId, targetId: named, path, sessionId, ...others } = body;
    const options = { ...others, dryRun: query.dryRun === true || others.dryRun };
    const targetId = named ?? (path === undefined ? undefined : await entryIdAt(content, changeId, path));
    const selection = targetId === undefined ? { sessionId } : { targetId };
    return content.bringBack(changeId, selection, { ...origin, sessionId }, options);
  },
);

/** The entry that was at a path then, or is there now. */
async function entryIdAt(
  content: Pick<SiteServices['content'], 'at' | 'findByPath'>,
  changeId: string,
  path: string,
): Promise<string> {
  const then = await (await content.at(changeId)).find(path);
  if (then?.kind === 'entry') return then.entry.id;
  const now = await content.findByPath(path, 'draft');
  if (now?.kind === 'entry') return now.entry.id;
  throw new NotFoundError('page', path);
}
