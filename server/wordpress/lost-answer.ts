import { sameJson } from '#server/core/json';
import { SiteUnavailableError } from '#server/core/errors';
import type { RemoteEntry, RemoteEntryFields } from '#server/wordpress/client/remote-entry';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';

/** False where WordPress refused the call before it wrote anything. */
function mayBeWritten(error: unknown): boolean {
  if (!(error instanceof SiteUnavailableError)) return false;
  const { status = 0 } = Object(error.details) as { status?: number };
  return !(status >= 400 && status < 500);
}

/** Tells whether an entry is in all that can be compared as these fields make it. */
function holds(remote: RemoteEntry, fields: RemoteEntryFields): boolean {
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
    // WordPress counts whole seconds, and says itself when now is.
    ...(typeof dateGmt === 'number' ? [[seconds(remote.dateGmt ?? 0), seconds(dateGmt)]] : []),
  ];
  return pairs.length > 0 && pairs.every(([is, was]) => was === undefined || sameJson(is, was));
}

function seconds(time: number): number {
  return Math.floor(time / 1_000);
}

/**
 * Updates an entry. Where the answer is lost, WordPress is asked once whether it was written: what is there just as it
 * was sent is this write, and not somebody else's.
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
    const remote = mayBeWritten(error) ? await entries.get(type, remoteId).catch(() => null) : null;
    if (remote === null || !holds(remote, fields)) throw error;
    return remote;
  }
}
