import { useState } from 'react';
import { toast } from 'sonner';
import useSWR from 'swr';
import { api, paths } from '#lib/api/api-client';
import { contentChanged } from '#lib/changes/content-cache';
import { toastWithAction } from '#lib/ui/toast-with-action';
import { libraryStrings } from '#lib/strings/library';
import type { TrashItem, TrashKind, TrashPage } from '#server/core/trash';

const say = libraryStrings.trash;

export interface Trash {
  /** As far as they were asked for; undefined: not known yet. */
  readonly items: readonly TrashItem[] | undefined;
  readonly total: number;
  readonly error: Error | undefined;
  readonly reload: () => void;
  /** Reads older ones too; null: there are none. */
  readonly loadMore: (() => void) | null;
}

/** What of one kind is in the trash, the last deleted first. */
export function useTrash(kind: TrashKind): Trash {
  const [pages, setPages] = useState(1);
  const { data, error, mutate } = useSWR<TrashPage, Error>([paths.trash(kind), pages], {
    fetcher: () => readPages(kind, pages),
    keepPreviousData: true,
  });
  return {
    items: data?.items,
    total: data?.total ?? 0,
    error: data === undefined ? error : undefined,
    reload: () => void mutate(),
    loadMore: data?.nextCursor ? () => setPages(pages + 1) : null,
  };
}

async function readPages(kind: TrashKind, pages: number): Promise<TrashPage> {
  const items: TrashItem[] = [];
  let page: TrashPage = { items, total: 0, nextCursor: null };
  for (let count = 0; count < pages; count += 1) {
    page = await api.get<TrashPage>(paths.trash(kind, page.nextCursor ?? undefined));
    items.push(...page.items);
    if (page.nextCursor === null) break;
  }
  return { ...page, items };
}

/** Takes it out of the trash. @throws ApiError; 409 where its address belongs to something else by now */
export async function restoreFromTrash({ type, id, title }: TrashItem): Promise<void> {
  const { change } = type === 'asset' ? await api.restoreAsset(id) : await api.restoreEntry(type, id);
  contentChanged();
  toastWithAction(say.restored(title), say.undo, async () => {
    await api.undoChange(change.id);
    contentChanged();
    toast(say.backInTrash(title));
  });
}
