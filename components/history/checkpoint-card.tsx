'use client';

import { History, MessageSquareText, X } from 'lucide-react';
import { useId, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { ChangeRow } from '#components/changes/change-row';
import { whoMade } from '#components/changes/change-facts.ts';
import { ConflictDialog } from '#components/changes/conflict-dialog';
import { openMessage } from '#components/chat/session/chat-sessions.ts';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { entryPath } from '#components/workspace/preview-path.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import { checkpointTitle } from '#components/history/checkpoint-words.ts';
import { lastChangeId } from '#components/history/checkpoints.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { clockTime, dayAndTime } from '#components/ui/times.ts';
import { useFirst } from '#components/ui/hooks.ts';
import { useApi } from '#components/api/use-api.ts';
import type { Conflict } from '#server/core/site/changes';
import type { Checkpoint, CheckpointChange } from '#server/core/conversation/history';

const t = translator('history');

/** Number of changes listed at first. A choice, not measured. */
const INITIAL_CHANGES = 8;

interface CheckpointCardProps {
  readonly sessionId: string;
  readonly checkpoint: Checkpoint;
  readonly onClose: () => void;
  /** Closes the card because something else is opened from it. */
  readonly onLeave: () => void;
  /** Shows the last changed page in its state at this checkpoint. */
  readonly onShow: (path: string | undefined) => void;
}

/** Card of a checkpoint: time, author, changes, a picture of the page at that time, and buttons to undo and restore. */
export function CheckpointCard({ sessionId, checkpoint, onClose, onLeave, onShow }: CheckpointCardProps) {
  const previewHref = usePreviewHref();
  const titleId = useId();
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const { shown, hidden, showAll } = useFirst(checkpoint.changes, INITIAL_CHANGES);
  const point = lastChangeId(checkpoint);
  const path = usePathAt(checkpoint);
  const { data: site } = useApi(paths.capabilities);
  const hasVersions = site?.versions ?? true;
  const { restore, undoChanges } = useWorkspaceActions();
  const message = { sessionId, messageId: checkpoint.messageId, turnId: checkpoint.turnId };
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-3">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 id={titleId} className="line-clamp-3 text-sm font-medium [overflow-wrap:anywhere]">
            {checkpointTitle(checkpoint)}
          </h2>
          <p className="flex flex-wrap gap-x-2 text-xs text-ink-3">
            <time dateTime={new Date(checkpoint.at).toISOString()}>{dayAndTime(checkpoint.at)}</time>
            {checkpoint.who !== null && <span>{whoMade(checkpoint.who)}</span>}
          </p>
        </div>
        <IconButton label={t('card.close')} icon={<X aria-hidden />} onClick={onClose} className="size-7!" />
      </header>
      {checkpoint.kind === 'summary' && <p className="text-sm text-ink-2">{t('summaryBody')}</p>}
      {point !== null && hasVersions && path !== undefined && (
        <PastPicture title={pageOf(checkpoint).title} href={previewHref(path, 'draft', point)} />
      )}
      {point !== null && !hasVersions && <p className="text-sm text-ink-3">{t('past.noVersions')}</p>}
      {checkpoint.changes.length > 0 && (
        <ol aria-label={t('card.changes')} className="divide-y divide-rule">
          {shown.map((change) => (
            <ChangeRow
              key={change.id}
              change={change}
              isGone={change.isTakenAlong}
              facts={change.isTakenAlong && <span>{t('takenAlong')}</span>}
              onConflict={setConflict}
            />
          ))}
        </ol>
      )}
      {hidden > 0 && (
        <Button variant="ghost" onClick={showAll} className="self-start">
          {t('card.more', { count: hidden })}
        </Button>
      )}
      <footer className="flex flex-wrap items-center gap-2">
        {point !== null && hasVersions && (
          <>
            <Button aria-label={t('card.showLabel', { when: clockTime(checkpoint.at) })} onClick={() => onShow(path)}>
              {t('card.show')}
            </Button>
            <Button onClick={() => restore({ changeId: point, at: checkpoint.at, ...pageOf(checkpoint) })}>
              <History aria-hidden className="size-3.5 stroke-[1.75]" />
              {t('card.restore')}
            </Button>
          </>
        )}
        {checkpoint.turnId !== null && checkpoint.changes.filter(({ undoneBy }) => undoneBy === null).length > 1 && (
          <Button variant="ghost" onClick={() => undoChanges(checkpoint.turnId ?? '')}>
            {t('card.undoAll')}
          </Button>
        )}
        {(checkpoint.turnId !== null || checkpoint.messageId !== null) && (
          <IconButton
            label={t('card.toMessage')}
            icon={<MessageSquareText aria-hidden />}
            onClick={() => {
              onLeave();
              void openMessage(message);
            }}
            className="ml-auto"
          />
        )}
      </footer>
      {conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />}
    </section>
  );
}

const isEntry = ({ targetType }: CheckpointChange) => targetType === 'page' || targetType === 'post';

/** The page of a checkpoint: the one that it changed last. */
function pageOf({ changes }: Checkpoint): { readonly targetId?: string; readonly title: string } {
  const change = changes.findLast(isEntry) ?? changes.at(-1);
  return { title: change?.title ?? '', ...(change && { targetId: change.targetId }) };
}

/** Size of the window in which the small picture lays out the page; pixels. */
const PAGE = { width: 1280, height: 800 };
/** Width of the small picture; pixels. */
const PICTURE_WIDTH = 348;

/** The path, at that time, of the page that a checkpoint changed last; undefined if it changed none. */
function usePathAt({ changes }: Checkpoint): string | undefined {
  const { data: settings } = useApi(paths.settings);
  const change = changes.findLast((one) => isEntry(one) && one.action !== 'delete');
  if (!settings || !change || change.slug === null) return undefined;
  const type = change.targetType === 'post' ? 'post' : 'page';
  return entryPath({ type, slug: change.slug }, settings.homeSlug);
}

/** A small picture of a page: the preview itself, inert and scaled, loaded only when visible. */
function PastPicture({ title, href }: { readonly title: string; readonly href: string }) {
  const scale = PICTURE_WIDTH / PAGE.width;
  return (
    <div
      style={{ height: PAGE.height * scale }}
      className="relative w-full shrink-0 overflow-hidden rounded-md border border-rule bg-white"
    >
      <iframe
        inert
        loading="lazy"
        tabIndex={-1}
        title={t('card.picture', { title })}
        src={href}
        sandbox="allow-same-origin"
        style={{ ...PAGE, transform: `scale(${String(scale)})` }}
        className="pointer-events-none absolute top-0 left-0 max-w-none origin-top-left border-0"
      />
    </div>
  );
}
