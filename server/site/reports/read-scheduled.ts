import { messageOfText } from '#server/core/message-data';
import type { ContentBackend } from '#server/site/content-backend';
import { ThroughlineError } from '#server/core/errors';
import type { ScheduledPage, ScheduledQuery } from '#server/core/site/site-lists';

/**
 * Scheduled publications for editors, the next one first. An overdue one includes the reason why it cannot be published,
 * found by a dry run.
 * @param now epoch milliseconds
 */
export async function readScheduled(
  content: ContentBackend,
  { limit, cursor }: ScheduledQuery,
  now = Date.now,
): Promise<ScheduledPage> {
  const { items, ...page } = await content.query({ scheduled: true, sort: 'scheduled', order: 'asc', limit, cursor });
  const problemOf = (id: string) =>
    content.publish(id, { actor: 'schedule' }, { dryRun: true, asScheduled: true }).then(
      () => null,
      (error: unknown) => {
        if (error instanceof ThroughlineError) return error.text;
        throw error;
      },
    );
  const planned = items.map(async ({ id, type, title, slug, path, status, publishAt, isPlanOlder }) => {
    // The query finds only entries with a time.
    const time = publishAt ?? 0;
    const problem = time <= now() ? await problemOf(id) : null;
    return {
      id,
      type,
      title,
      slug,
      path,
      status,
      publishAt: time,
      isPlanOlder,
      problem: problem && problem.text,
      problemMessage: problem && messageOfText(problem),
    };
  });
  return { ...page, items: await Promise.all(planned) };
}
