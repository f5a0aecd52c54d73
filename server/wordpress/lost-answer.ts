import { sameJson } from '#server/core/json';
import { saysTheSame } from '#server/wordpress/blocks/markup-meaning';
import { SiteUnavailableError } from '#server/core/errors';
import type { RemoteEntry, RemoteEntryFields } from '#server/wordpress/client/remote-entry';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';

/** False if WordPress refused the call before it wrote anything. */
function mayHaveBeenWritten(error: unknown): boolean {
  if (!(error instanceof SiteUnavailableError)) return false;
  const { status = 0 } = Object(error.details) as { status?: number };
  return !(status >= 400 && status < 500);
}

/** True if an entry of WordPress equals the fields that were sent, in everything that can be compared. */
function equalsSentFields(remote: RemoteEntry, fields: RemoteEntryFields): boolean {
  const { seo, custom, termIds = {}, dateGmt, tags: _names, ...rest } = fields;
  const sorted = (ids: readonly number[] = []) => ids.toSorted((a, b) => a - b);
  const asSent = { ...remote, tagIds: sorted(remote.tagIds) };
  const wanted = Object.entries({ ...rest, ...(rest.tagIds && { tagIds: sorted(rest.tagIds) }) });
  const groups = Object.entries(termIds).map(([taxonomy, ids]) => [
    sorted(remote.terms[taxonomy]?.map(({ id }) => id)),
    sorted(ids),
  ]);
  const metas = [
    ...Object.entries(seo ?? {}).map(([name, value]) => [Reflect.get(remote.seo ?? {}, name) ?? '', value]),
    ...Object.entries(custom ?? {}).map(([name, value]) => [remote.custom[name] ?? null, value]),
  ];
  const pairs: unknown[][] = [
    ...wanted.map(([name, value]) => [Reflect.get(asSent, name), value]),
    ...groups,
    ...metas,
    // WordPress counts whole seconds, and uses its own clock for the current time.
    ...(typeof dateGmt === 'number' ? [[seconds(remote.dateGmt ?? 0), seconds(dateGmt)]] : []),
  ];
  const isSame = ([is, was]: unknown[]) =>
    sameJson(is, was) || (typeof is === 'string' && typeof was === 'string' && saysTheSame(is, was));
  return pairs.length > 0 && pairs.every((pair) => pair[1] === undefined || isSame(pair));
}

function seconds(time: number): number {
  return Math.floor(time / 1_000);
}

/**
 * Updates an entry. If the response is lost, WordPress is asked once if the write was done: an entry that equals what
 * was sent counts as this write, not as that of another author.
 */
export async function updateEntry(
  { entries }: WordPressClient,
  type: string,
  remoteId: number,
  fields: RemoteEntryFields,
): Promise<RemoteEntry> {
  try {
    return await entries.update(type, remoteId, fields);
  } catch (error) {
    const remote = mayHaveBeenWritten(error) ? await entries.get(type, remoteId).catch(() => null) : null;
    if (remote === null || !equalsSentFields(remote, fields)) throw error;
    return remote;
  }
}
