import type { ContentBackend } from '#server/content/content-backend';
import { ThroughlineError } from '#server/core/errors';
import type { PlannedPage, PlannedQuery } from '#server/core/planned';

/** What is planned to be published, the next one first. Of what is late it is tried, without a trace, why. */
export async function readPlanned(
  content: Pick<ContentBackend, 'query' | 'publish'>,
  { limit, cursor }: PlannedQuery,
  now = Date.now,
): Promise<PlannedPage> {
  const { items, ...page } = await content.query({ scheduled: true, sort: 'scheduled', order: 'asc', limit, cursor });
  const problemOf = (id: string) =>
    content.publish(id, { actor: 'schedule' }, { dryRun: true, asPlanned: true }).then(
      () => null,
      (error: unknown) => {
        if (error instanceof ThroughlineError) return error.message;
        throw error;
      },
    );
  const planned = items.map(async ({ id, type, title, slug, path, status, publishAt, isPlanOlder }) => {
    // The query finds no others.
    const time = publishAt ?? 0;
    return {
      id,
      type,
      title,
      slug,
      path,
      status,
      publishAt: time,
      isPlanOlder,
      problem: time <= now() ? await problemOf(id) : null,
    };
  });
  return { ...page, items: await Promise.all(planned) };
}
