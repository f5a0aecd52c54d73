import type { ContentReader } from '#server/content/embedded/content-store';
import type { RemoteState } from '#server/content/wordpress/absorb';
import type { KnownEntry } from '#server/content/wordpress/known-state';
import type { EntryType } from '#server/core/content';

/** A slug that no other live entry has: in WordPress pages below different pages can share one. */
async function freeSlug(reader: ContentReader, id: string, type: EntryType, slug: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? slug : `${slug}-${n}`;
    const owners = [await reader.entryBySlug(type, candidate), await reader.entryByPublishedSlug(type, candidate)];
    if (owners.every((owner) => owner === null || owner.id === id)) return candidate;
  }
}

/** What was read of WordPress, under a slug that the mirror can have. */
export async function withFreeSlug<Read extends { readonly state: RemoteState; readonly known: KnownEntry }>(
  reader: ContentReader,
  id: string,
  type: EntryType,
  read: Read,
): Promise<Pick<Read, 'state' | 'known'>> {
  const { state, known } = read;
  if (state.status === 'trashed') return read;
  const slug = await freeSlug(reader, id, type, state.document.slug);
  if (slug === state.document.slug) return read;
  return {
    state: { ...state, document: { ...state.document, slug } },
    known: { ...known, document: { ...known.document, slug } },
  };
}
