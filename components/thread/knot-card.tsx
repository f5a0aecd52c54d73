'use client';

import { History, MessageSquareText, X } from 'lucide-react';
import { useId, useState } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { ChangeRow } from '#components/changes/change-row';
import { whoMade } from '#components/changes/change-facts';
import { ConflictDialog } from '#components/changes/undo-dialog';
import { askDesk } from '#components/desk/desk-requests';
import { entryPath } from '#components/desk/preview-path';
import { usePreviewHref } from '#components/desk/site-of-page';
import { knotTitle } from '#components/thread/knot-words';
import { pointOf } from '#components/thread/use-thread';
import { threadStrings } from '#components/thread/words';
import { Button, IconButton } from '#components/ui/buttons';
import { clockTime, dayAndTime } from '#components/ui/times';
import { useFirst } from '#components/ui/hooks';
import type { SiteSettings } from '#server/core/content';
import type { Conflict } from '#server/core/changes';
import type { SiteCapabilities } from '#server/core/site-lists';
import type { Knot, KnotChange } from '#server/core/thread';

const say = threadStrings.card;
/** Changes listed at first. */
const FEW = 8;

interface KnotCardProps {
  readonly sessionId: string;
  readonly knot: Knot;
  readonly onClose: () => void;
  /** Closes it for something else that is opened from here. */
  readonly onLeave: () => void;
  /** Shows the page that was changed last as it was at this knot. */
  readonly onShow: (path: string | undefined) => void;
}

/** Card of a knot of the thread: when, who, what changed, a picture of the page then, and the ways back. */
export function KnotCard({ sessionId, knot, onClose, onLeave, onShow }: KnotCardProps) {
  const previewHref = usePreviewHref();
  const titleId = useId();
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const { shown, hidden, showAll } = useFirst(knot.changes, FEW);
  const point = pointOf(knot);
  const path = usePathThen(knot);
  const { data: site } = useSWR<SiteCapabilities>(paths.capabilities);
  const hasVersions = site?.versions ?? true;
  const message = { sessionId, messageId: knot.messageId, turnId: knot.turnId };
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-3">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 id={titleId} className="line-clamp-3 text-sm font-medium [overflow-wrap:anywhere]">
            {knotTitle(knot)}
          </h2>
          <p className="flex flex-wrap gap-x-2 text-xs text-ink-3">
            <time dateTime={new Date(knot.at).toISOString()}>{dayAndTime(knot.at)}</time>
            {knot.who !== null && <span>{whoMade(knot.who)}</span>}
          </p>
        </div>
        <IconButton label={say.close} icon={<X aria-hidden />} onClick={onClose} className="size-7!" />
      </header>
      {knot.kind === 'summary' && <p className="text-sm text-ink-2">{threadStrings.summaryBody}</p>}
      {point !== null && hasVersions && path !== undefined && (
        <PastPicture title={pageOf(knot).title} href={previewHref(path, 'draft', point)} />
      )}
      {point !== null && !hasVersions && <p className="text-sm text-ink-3">{threadStrings.past.noVersions}</p>}
      {knot.changes.length > 0 && (
        <ol aria-label={say.changes} className="divide-y divide-rule">
          {shown.map((change) => (
            <ChangeRow
              key={change.id}
              change={change}
              isGone={change.isTakenAlong}
              facts={change.isTakenAlong && <span>{threadStrings.takenAlong}</span>}
              onConflict={setConflict}
            />
          ))}
        </ol>
      )}
      {hidden > 0 && (
        <Button variant="ghost" onClick={showAll} className="self-start">
          {say.more(hidden)}
        </Button>
      )}
      <footer className="flex flex-wrap items-center gap-2">
        {point !== null && hasVersions && (
          <>
            <Button aria-label={say.showLabel(clockTime(knot.at))} onClick={() => onShow(path)}>
              {say.show}
            </Button>
            <Button onClick={() => askDesk('bring-back', { changeId: point, at: knot.at, ...pageOf(knot) })}>
              <History aria-hidden className="size-3.5 stroke-[1.75]" />
              {say.bringBack}
            </Button>
          </>
        )}
        {knot.turnId !== null && knot.changes.filter(({ undoneBy }) => undoneBy === null).length > 1 && (
          <Button variant="ghost" onClick={() => askDesk('undo-changes', { turnId: knot.turnId ?? '' })}>
            {say.undoAll}
          </Button>
        )}
        {(knot.turnId !== null || knot.messageId !== null) && (
          <IconButton
            label={say.toMessage}
            icon={<MessageSquareText aria-hidden />}
            onClick={() => {
              onLeave();
              askDesk('show-message', message);
            }}
            className="ml-auto"
          />
        )}
      </footer>
      {conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />}
    </section>
  );
}

const isEntry = ({ targetType }: KnotChange) => targetType === 'page' || targetType === 'post';

/** The page that a knot is about: the one changed last in it. */
function pageOf({ changes }: Knot): { readonly targetId?: string; readonly title: string } {
  const change = changes.findLast(isEntry) ?? changes.at(-1);
  return { title: change?.title ?? '', ...(change && { targetId: change.targetId }) };
}

/** Width that the page is laid out at, and height of what is shown of it; pixels. */
const PAGE = { width: 1280, height: 800 };
/** Width of the picture; pixels. */
const PICTURE = 348;

/** A path that leads to the page that was changed last in a knot, as it was called then; undefined: none was. */
function usePathThen({ changes }: Knot): string | undefined {
  const { data: settings } = useSWR<SiteSettings>(paths.settings);
  const change = changes.findLast((one) => isEntry(one) && one.action !== 'delete');
  if (!settings || !change || change.slug === null) return undefined;
  const type = change.targetType === 'post' ? 'post' : 'page';
  return entryPath({ type, slug: change.slug }, settings.homeSlug);
}

/** A small picture of a page: the preview itself, inert and scaled, loaded only where it is seen. */
function PastPicture({ title, href }: { readonly title: string; readonly href: string }) {
  const scale = PICTURE / PAGE.width;
  return (
    <div
      style={{ height: PAGE.height * scale }}
      className="relative w-full shrink-0 overflow-hidden rounded-md border border-rule bg-white"
    >
      <iframe
        inert
        loading="lazy"
        tabIndex={-1}
        title={say.picture(title)}
        src={href}
        sandbox="allow-same-origin"
        style={{ ...PAGE, transform: `scale(${String(scale)})` }}
        className="pointer-events-none absolute top-0 left-0 max-w-none origin-top-left border-0"
      />
    </div>
  );
}
