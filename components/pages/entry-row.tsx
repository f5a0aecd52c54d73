import { Copy, Ellipsis, ExternalLink, Eye, FolderInput, Rocket, Share2 } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import { IconButton } from '#components/ui/buttons';
import { afterMenu, Menu } from '#components/ui/menus';
import { MenuItem } from '#components/ui/menu-rows';
import { TimeAgo } from '#components/ui/page-parts';
import { scheduledTime } from '#components/ui/times.ts';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('pages');
const tShared = translator('shared');

/** Actions of a row's menu; each is absent if the user may not do it, or if it would do nothing. */
export interface RowActions {
  readonly onCopy?: () => void;
  readonly onShare?: () => void;
  readonly onPublish?: () => void;
  readonly onMove?: () => void;
}

interface EntryRowProps extends RowActions {
  readonly entry: EntryItem;
  /** Title of the parent page. */
  readonly parent: string | undefined;
  /** What is left of the entry: the checkbox that selects the row, and the button of its place in a tree. */
  readonly before?: ReactNode;
  /** The rows below it in a tree. */
  readonly children?: ReactNode;
}

/** A page or post; its title opens it in the preview next to the assistant. */
export function EntryRow({ entry, parent, before, children, ...actions }: EntryRowProps) {
  const { onCopy, onShare, onPublish, onMove } = actions;
  const previewHref = usePreviewHref();
  const { title, path, status, publishAt, updatedAt, sectionCount, excerpt, kind, match } = entry;
  return (
    <li>
      <div className="flex items-start gap-x-3 border-b border-rule py-3.5 has-[input:checked]:bg-accent/6">
        {before}
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
          <div className="min-w-0 flex-1 basis-60">
            <p className="text-base font-medium [overflow-wrap:anywhere]">
              <Link
                href={deskPagePath(path)}
                prefetch={false}
                aria-label={t('open', { title })}
                className="underline-offset-3 hover:text-accent hover:underline"
              >
                {title}
              </Link>
              <span className="ml-2 text-sm font-normal text-ink-3">{path}</span>
            </p>
            {match ? (
              <p className="line-clamp-2 text-sm text-ink-2 [overflow-wrap:anywhere]">
                {match.sectionId === undefined ? (
                  match.snippet
                ) : (
                  <Link
                    href={deskPagePath(path, match.sectionId)}
                    prefetch={false}
                    className="underline decoration-rule-strong underline-offset-3 hover:text-accent"
                  >
                    {match.snippet}
                  </Link>
                )}
              </p>
            ) : (
              excerpt !== undefined && <p className="line-clamp-1 text-sm text-ink-2">{excerpt}</p>
            )}
            <p className="text-sm text-ink-3">
              {kind !== undefined && `${kind} · `}
              {t('edited')} <TimeAgo time={updatedAt} /> · {t('sections', { count: sectionCount })}
              {parent !== undefined && ` · ${t('below', { title: parent })}`}
            </p>
          </div>
          <EntryState status={status} publishAt={publishAt} marks={entry.marks} />
          <Menu trigger={<IconButton label={t('menu', { title })} icon={<Ellipsis aria-hidden />} />}>
            {onPublish && (
              <MenuItem onSelect={() => afterMenu(onPublish)}>
                <Rocket aria-hidden />
                {tShared('page.publish')}
              </MenuItem>
            )}
            {onCopy && (
              <MenuItem onSelect={onCopy}>
                <Copy aria-hidden />
                {t('copy')}
              </MenuItem>
            )}
            {onMove && (
              <MenuItem onSelect={() => afterMenu(onMove)}>
                <FolderInput aria-hidden />
                {t('move')}
              </MenuItem>
            )}
            {onShare && (
              <MenuItem onSelect={() => afterMenu(onShare)}>
                <Share2 aria-hidden />
                {tShared('page.share')}
              </MenuItem>
            )}
            <MenuItem onSelect={() => window.open(previewHref(path, 'draft'), '_blank', 'noopener')}>
              <Eye aria-hidden />
              {t('preview')}
            </MenuItem>
            {status !== 'draft' && (
              <MenuItem onSelect={() => window.open(previewHref(path, 'published'), '_blank', 'noopener')}>
                <ExternalLink aria-hidden />
                {t('view')}
              </MenuItem>
            )}
          </Menu>
        </div>
      </div>
      {children}
    </li>
  );
}

/** Colour of the dot for each state. */
const dots = { draft: 'bg-ink-3', published: 'bg-accent', changed: 'bg-amber' };

function EntryState({ status, publishAt, marks = [] }: Pick<EntryItem, 'status' | 'publishAt' | 'marks'>) {
  return (
    <p className="flex w-56 flex-wrap items-center gap-x-2 text-sm text-ink-2">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[status]}`} />
      {t(`states.${status}`)}
      {marks.length > 0 && (
        <span className="w-full text-xs text-ink-3">{marks.map((mark) => tShared(`marks.${mark}`)).join(' · ')}</span>
      )}
      {publishAt !== null && (
        <span className="w-full text-xs text-ink-3">{t('scheduled', { when: scheduledTime(publishAt) })}</span>
      )}
    </p>
  );
}
