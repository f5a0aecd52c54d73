'use client';

import clsx from 'clsx';
import { useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { sectionElements } from '#components/editor/model/section-elements.ts';
import type { ShownPage } from '#components/editor/model/shown-page.ts';
import dynamic from 'next/dynamic';
import { loadCode } from '#components/ui/load-code';
import { useIsMounted, useIsTouched } from '#components/ui/hooks.ts';

const t = translator('preview');

const PageTools = dynamic(() => loadCode(async () => (await import('#components/editor/page/page-tools')).PageTools), {
  ssr: false,
});

interface Frame {
  readonly id: number;
  readonly src: string;
  readonly sectionIds: readonly string[];
}

interface PreviewFrameProps {
  readonly src: string;
  /** Sections to mark as just changed; the page scrolls to the first one unless it is in view. */
  readonly sectionIds: readonly string[];
  /** A new number reloads `src`, even at the same address. */
  readonly version: number;
  readonly title: string;
  /** Called when a page has loaded, with its path and the design of a page of a connected site (`data-look`). */
  readonly onNavigated: (pathname: string, design: string | null) => void;
  /** Called when the page could not be loaded, to show an error instead. */
  readonly onFailed: () => void;
  /** Path on the site of a draft whose sections can be chosen; null for a read-only preview. */
  readonly editedPath: string | null;
  /** Moves the focus to the message field. */
  readonly onAsk: () => void;
}

/**
 * The frame's window, if it has the same origin, so that its address and scroll position can be read; null if it shows
 * another origin.
 */
function windowOf(frame: HTMLIFrameElement | null | undefined): Window | null {
  try {
    return frame?.contentWindow?.location.pathname ? frame.contentWindow : null;
  } catch {
    return null;
  }
}

/** Reads the design of a page of a connected site from the page; null for a page of the built-in site. */
function designOf(page: Document): string | null {
  return page.querySelector<HTMLElement>('[data-look]')?.dataset['look'] ?? null;
}

/** Marks sections from outside, because the page may not run scripts. */
function markSections(page: Window, sectionIds: readonly string[]): void {
  const sections = sectionIds.flatMap((id) => sectionElements(page.document, id));
  for (const section of sections) section.dataset['highlighted'] = '';
  const [first] = sections;
  if (!first) return;
  const { top, bottom } = first.getBoundingClientRect();
  if (top < 0 || bottom > page.innerHeight) page.scrollBy({ top: top - page.innerHeight / 8, behavior: 'instant' });
}

/**
 * The site in a frame. A new version loads in a hidden frame and replaces the displayed one, with the same scroll
 * position, once it has loaded, so that the preview does not flash white. Scripts are disabled: the page is for viewing
 * only.
 */
export function PreviewFrame(props: PreviewFrameProps) {
  // Not in the server's HTML: such a frame could load before its listener is attached.
  return useIsMounted() ? <Frames {...props} /> : <FramePlaceholder />;
}

/** Placeholder while the first page loads. */
function FramePlaceholder() {
  return (
    <div aria-hidden className="h-full overflow-hidden bg-sheet px-[6%] pt-[10%]">
      {['h-8 w-1/2', 'h-3 w-3/4', 'h-3 w-2/3', 'mt-8 h-56 w-full', 'mt-8 h-3 w-5/6', 'h-3 w-3/4', 'h-3 w-1/2'].map(
        (size, at) => (
          <div key={at} className={`mb-4 animate-breathe rounded bg-rule ${size}`} />
        ),
      )}
    </div>
  );
}

function Frames({ src, sectionIds, version, title, onNavigated, onFailed, editedPath, onAsk }: PreviewFrameProps) {
  const [shown, setShown] = useState<ShownPage | null>(null);
  const [frames, setFrames] = useState<readonly Frame[]>([{ id: version, src, sectionIds }]);
  const [newest, setNewest] = useState(version);
  const [shownId, setShownId] = useState<number | null>(null);
  const isTouched = useIsTouched();
  const elements = useRef(new Map<number, HTMLIFrameElement>());

  // Only `version` triggers loading: `src` also changes when the user follows a link inside the frame.
  if (version !== newest) {
    setNewest(version);
    setFrames([...frames.filter(({ id }) => id === shownId), { id: version, src, sectionIds }]);
  }

  const onLoad = (frame: Frame) => {
    const next = windowOf(elements.current.get(frame.id));
    const previous = windowOf(elements.current.get(shownId ?? -1));
    if (next && previous && frame.id !== shownId && next.location.pathname === previous.location.pathname) {
      next.scrollTo(previous.scrollX, previous.scrollY);
    }
    if (next) markSections(next, frame.sectionIds);
    setShownId(frame.id);
    setShown(next && { window: next });
    setFrames((old) => old.filter(({ id }) => id >= frame.id));
    if (next) onNavigated(next.location.pathname, designOf(next.document));
    // In the displayed frame, a link may have led to another site.
    else if (frame.id !== shownId) onFailed();
  };

  const isLoading = frames.some(({ id }) => id !== shownId);
  return (
    <div className={clsx('relative h-full', shownId !== null && 'bg-white')} aria-busy={isLoading}>
      {shownId === null && <FramePlaceholder />}
      {frames.map((frame) => (
        <iframe
          key={frame.id}
          ref={(element) => {
            if (element) elements.current.set(frame.id, element);
            else elements.current.delete(frame.id);
          }}
          src={frame.src}
          title={t('frame', { title })}
          sandbox="allow-same-origin allow-forms allow-popups"
          aria-hidden={frame.id !== shownId}
          tabIndex={frame.id === shownId ? undefined : -1}
          onLoad={() => onLoad(frame)}
          className={clsx(
            'absolute inset-0 size-full',
            frame.id === shownId ? 'opacity-100' : 'pointer-events-none opacity-0',
          )}
        />
      ))}
      {shown && isTouched && editedPath !== null && <PageTools shown={shown} path={editedPath} onAsk={onAsk} />}
      {isLoading && <span aria-hidden className="absolute inset-x-0 top-0 h-0.5 animate-breathe bg-accent" />}
    </div>
  );
}
