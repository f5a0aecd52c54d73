'use client';

import { FileText, Newspaper } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { toast } from 'sonner';
import useSWR from 'swr';
import { useMayPublish, useMe } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { messageOf } from '#components/api/api-error.ts';
import { conversationOf, personName } from '#components/changes/change-facts.ts';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { sessionPath } from '#components/workspace/navigation.ts';
import { RedirectsSection } from '#components/library/redirects-section';
import { number } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { summaryText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { useAnswered } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import { PageTitle, TimeAgo } from '#components/ui/page-parts';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import type { ChangeSet } from '#server/core/site/changes';
import type { TrashItem, TrashKind, TrashPage } from '#server/core/site/trash';

/** Deleted entries and pictures, and the redirects of old addresses. */
export function TrashScreen() {
  const entries = useTrash('entries');
  const media = useTrash('media');
  // Sections appear in order, because a late section would move the sections below it.
  const isUserLoaded = useAnswered(paths.me);
  const hasEntries = isUserLoaded && (entries.items ?? entries.error) !== undefined;
  const hasMedia = hasEntries && (media.items ?? media.error) !== undefined;
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')} />
      <div className="mt-10 flex flex-col gap-12">
        {hasEntries ? <TrashSection kind="entries" trash={entries} /> : <Placeholder />}
        {hasMedia ? (
          <>
            <TrashSection kind="media" trash={media} />
            <RedirectsSection />
          </>
        ) : (
          hasEntries && <Placeholder />
        )}
      </div>
    </>
  );
}

const t = translator('library.trash');

/** Deleted items of one kind, latest first. */
function TrashSection({ kind, trash }: { readonly kind: TrashKind; readonly trash: Trash }) {
  const { items = [], total, error, reload, loadMore } = trash;
  return (
    <section aria-labelledby={`trash-${kind}`}>
      <h2 id={`trash-${kind}`} className="flex items-baseline gap-3 font-serif text-xl font-medium tracking-[-0.01em]">
        {t(`kinds.${kind}.title`)}
        {total > 0 && (
          <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">{number.format(total)}</span>
        )}
      </h2>
      {error ? (
        <LoadFailed title={t('failed')} error={error} onRetry={reload} />
      ) : items.length === 0 ? (
        <p className="mt-3 border-t border-rule py-5 text-sm text-ink-2">{t(`kinds.${kind}.empty`)}</p>
      ) : (
        <ul className="mt-3 border-t border-rule">
          {items.map((item) => (
            <TrashRow key={item.id} item={item} />
          ))}
        </ul>
      )}
      {loadMore && (
        <Button className="mt-4" onClick={loadMore}>
          {t('more')}
        </Button>
      )}
    </section>
  );
}

function Placeholder() {
  return (
    <div className="mt-3 border-t border-rule">
      <output className="sr-only">{t('loading')}</output>
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
      setFailure(t('restoreFailed', { reason: messageOf(error) }));
    } finally {
      setIsRestoring(false);
    }
  };
  return (
    <li ref={passOnFocus} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-rule py-3.5">
      <ItemIcon item={item} />
      <div className="min-w-0 flex-1 basis-44">
        <p className="text-base font-medium [overflow-wrap:anywhere]">
          {item.title}
          {item.type !== 'asset' && <span className="ml-2 text-sm font-normal text-ink-3">/{item.slug}</span>}
        </p>
        <p className="text-sm text-ink-2">
          {t(`types.${item.type}`)}
          {item.change && <Deletion change={item.change} />}
        </p>
      </div>
      {mayPublish && (
        <Button
          aria-label={t('restoreLabel', { title: item.title })}
          aria-disabled={isRestoring}
          onClick={() => void restore()}
        >
          {isRestoring ? t('restoring') : t('restore')}
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

function ItemIcon({ item }: { readonly item: TrashItem }) {
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
function Deletion({ change }: { readonly change: ChangeSet }) {
  const { origin, createdAt } = change;
  const { actor, userName } = origin;
  const sessionId = conversationOf(origin, useMe()?.id);
  return (
    <>
      {' · '}
      {userName === undefined ? t(`deletedBy.${actor}`) : `${t(`deletedFor.${actor}`)} ${personName(userName)}`}
      {' · '}
      <TimeAgo time={createdAt} />
      {sessionId !== null && (
        <>
          {' · '}
          <Link
            href={sessionPath(sessionId)}
            prefetch={false}
            aria-label={t('conversationLabel', { summary: summaryText(change) })}
            className="underline decoration-rule-strong underline-offset-2 hover:text-ink hover:decoration-ink"
          >
            {t('conversation')}
          </Link>
        </>
      )}
    </>
  );
}

/** The loaded part of the trash. */
interface Trash {
  /** The loaded items; undefined while loading. */
  readonly items: readonly TrashItem[] | undefined;
  readonly total: number;
  readonly error: Error | undefined;
  readonly reload: () => void;
  /** Loads older items too; null if all are loaded. */
  readonly loadMore: (() => void) | null;
}

/** Deleted items of one kind, latest first. */
function useTrash(kind: TrashKind): Trash {
  const [pages, setPages] = useState(1);
  const { data, error, mutate } = useSWR([paths.trash(kind), pages], () => readPages(kind, pages), {
    keepPreviousData: true,
  });
  return {
    items: data?.items,
    total: data?.total ?? 0,
    error: data === undefined ? (error as Error | undefined) : undefined,
    reload: () => void mutate(),
    loadMore: data?.nextCursor ? () => setPages(pages + 1) : null,
  };
}

async function readPages(kind: TrashKind, pages: number): Promise<TrashPage> {
  const items: TrashItem[] = [];
  let page: TrashPage = { items, total: 0, nextCursor: null };
  for (let count = 0; count < pages; count += 1) {
    page = await api.get(paths.trash(kind, page.nextCursor ?? undefined));
    items.push(...page.items);
    if (page.nextCursor === null) break;
  }
  return { ...page, items };
}

/**
 * Restores an item.
 * @throws ApiError; 409 if its address is now taken by another entry
 */
async function restoreFromTrash({ type, id, title }: TrashItem): Promise<void> {
  const { change } = type === 'asset' ? await api.restoreAsset(id) : await api.restoreEntry(type, id);
  contentChanged();
  toastWithAction(t('restored', { title }), t('undo'), async () => {
    await api.undoChange(change.id);
    contentChanged();
    toast(t('backInTrash', { title }));
  });
}
