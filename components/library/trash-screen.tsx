'use client';

import { FileText, Newspaper } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { accessPaths, useMayPublish, useMe } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { messageOf } from '#components/api/api-error';
import { conversationOf } from '#components/changes/change-facts';
import { contentChanged } from '#components/desk/content-cache';
import { sessionPath } from '#components/desk/navigation';
import { OldAddresses } from '#components/library/old-addresses';
import { libraryStrings } from '#components/library/words';
import { inYourWords } from '#components/served-words';
import { Button } from '#components/ui/buttons';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { useAnswered } from '#components/ui/hooks';
import { LoadFailed } from '#components/ui/notices';
import { PageTitle, TimeAgo } from '#components/ui/page-parts';
import { toastWithAction } from '#components/ui/toasts';
import type { ChangeSet } from '#server/core/changes';
import type { TrashItem, TrashKind, TrashPage } from '#server/core/site-lists';

/** Deleted entries and pictures, and the old addresses that still redirect. */
export function TrashScreen() {
  const entries = useTrash('entries');
  const media = useTrash('media');
  // In their order: what comes later than what stands below it would move that.
  const isMeThere = useAnswered(accessPaths.me);
  const hasEntries = isMeThere && (entries.items ?? entries.error) !== undefined;
  const hasMedia = hasEntries && (media.items ?? media.error) !== undefined;
  return (
    <>
      <PageTitle title={libraryStrings.trash.title} intro={libraryStrings.trash.intro} />
      <div className="mt-10 flex flex-col gap-12">
        {hasEntries ? <TrashSection kind="entries" trash={entries} /> : <Placeholder />}
        {hasMedia ? (
          <>
            <TrashSection kind="media" trash={media} />
            <OldAddresses />
          </>
        ) : (
          hasEntries && <Placeholder />
        )}
      </div>
    </>
  );
}

const say = libraryStrings.trash;

/** Deleted items of one kind, latest first. */
function TrashSection({ kind, trash }: { readonly kind: TrashKind; readonly trash: Trash }) {
  const { items = [], total, error, reload, loadMore } = trash;
  const { title, empty } = say.kinds[kind];
  return (
    <section aria-labelledby={`trash-${kind}`}>
      <h2 id={`trash-${kind}`} className="flex items-baseline gap-3 font-serif text-xl font-medium tracking-[-0.01em]">
        {title}
        {total > 0 && <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">{say.count(total)}</span>}
      </h2>
      {error ? (
        <LoadFailed title={say.failed} error={error} onRetry={reload} />
      ) : items.length === 0 ? (
        <p className="mt-3 border-t border-rule py-5 text-sm text-ink-2">{empty}</p>
      ) : (
        <ul className="mt-3 border-t border-rule">
          {items.map((item) => (
            <TrashRow key={item.id} item={item} />
          ))}
        </ul>
      )}
      {loadMore && (
        <Button className="mt-4" onClick={loadMore}>
          {say.more}
        </Button>
      )}
    </section>
  );
}

function Placeholder() {
  return (
    <div className="mt-3 border-t border-rule">
      <output className="sr-only">{say.loading}</output>
      {[0, 1].map((row) => (
        <div key={row} aria-hidden className="flex animate-breathe items-center gap-4 border-b border-rule py-4">
          <div className="flex flex-1 flex-col gap-2">
            <div className="h-4 w-48 rounded bg-rule" />
            <div className="h-3 w-72 max-w-full rounded bg-rule" />
          </div>
          <div className="h-8 w-20 rounded-md bg-rule" />
        </div>
      ))}
    </div>
  );
}

/** A deleted item: title, author and time of the deletion, and a button to restore it. */
function TrashRow({ item }: { readonly item: TrashItem }) {
  const [isRestoring, setIsRestoring] = useState(false);
  const mayPublish = useMayPublish();
  const [failure, setFailure] = useState<string | null>(null);
  const restore = async () => {
    if (isRestoring) return;
    setIsRestoring(true);
    setFailure(null);
    try {
      await restoreFromTrash(item);
    } catch (error) {
      setFailure(say.restoreFailed(messageOf(error)));
    } finally {
      setIsRestoring(false);
    }
  };
  return (
    <li ref={passOnFocus} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-rule py-3.5">
      <Sign item={item} />
      <div className="min-w-0 flex-1 basis-44">
        <p className="text-base font-medium [overflow-wrap:anywhere]">
          {item.title}
          {item.type !== 'asset' && (
            <span className="ml-2 text-sm font-normal text-ink-3">{say.address(item.slug)}</span>
          )}
        </p>
        <p className="text-sm text-ink-2">
          {say.types[item.type]}
          {item.change && <Deletion change={item.change} />}
        </p>
      </div>
      {mayPublish && (
        <Button aria-label={say.restoreLabel(item.title)} aria-disabled={isRestoring} onClick={() => void restore()}>
          {isRestoring ? say.restoring : say.restore}
        </Button>
      )}
      {failure !== null && (
        <p role="alert" className="w-full text-sm text-red">
          {failure}
        </p>
      )}
    </li>
  );
}

function Sign({ item }: { readonly item: TrashItem }) {
  const box = 'flex size-10 shrink-0 items-center justify-center overflow-hidden rounded-md bg-ink/6 text-ink-3';
  if (item.type === 'asset') {
    return (
      <span className={box}>
        <img src={item.thumbnailUrl} alt={item.alt} className="size-full object-cover" />
      </span>
    );
  }
  const Icon = item.type === 'page' ? FileText : Newspaper;
  return (
    <span aria-hidden className={box}>
      <Icon className="size-5 stroke-[1.5]" />
    </span>
  );
}

/** Author, time and conversation of a deletion. */
function Deletion({ change: { origin, createdAt, summary } }: { readonly change: ChangeSet }) {
  const { actor, userName } = origin;
  const sessionId = conversationOf(origin, useMe()?.id);
  return (
    <>
      {' · '}
      {userName === undefined ? say.deletedBy[actor] : `${say.deletedFor[actor]} ${userName}`}
      {' · '}
      <TimeAgo time={createdAt} />
      {sessionId !== null && (
        <>
          {' · '}
          <Link
            href={sessionPath(sessionId)}
            prefetch={false}
            aria-label={say.conversationLabel(inYourWords(summary))}
            className="underline decoration-rule-strong underline-offset-2 hover:text-ink hover:decoration-ink"
          >
            {say.conversation}
          </Link>
        </>
      )}
    </>
  );
}

interface Trash {
  /** Items as far as they were loaded; undefined: not known yet. */
  readonly items: readonly TrashItem[] | undefined;
  readonly total: number;
  readonly error: Error | undefined;
  readonly reload: () => void;
  /** Reads older ones too; null: there are none. */
  readonly loadMore: (() => void) | null;
}

/** Deleted items of one kind, latest first. */
function useTrash(kind: TrashKind): Trash {
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

/**
 * Restores an item.
 * @throws ApiError; 409 if its address now belongs to something else
 */
async function restoreFromTrash({ type, id, title }: TrashItem): Promise<void> {
  const { change } = type === 'asset' ? await api.restoreAsset(id) : await api.restoreEntry(type, id);
  contentChanged();
  toastWithAction(say.restored(title), say.undo, async () => {
    await api.undoChange(change.id);
    contentChanged();
    toast(say.backInTrash(title));
  });
}
