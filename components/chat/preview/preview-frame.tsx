'use client';

import clsx from 'clsx';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { previewStrings } from '#components/chat/preview/words';
import { sectionElements } from '#components/editor/chosen';
import type { ShownPage } from '#components/editor/page-tools';
import type { PreviewDevice, PreviewLook } from '#components/desk/layout-preferences';
import { fetchedLater } from '#components/ui/fetched-later';
import { useIsMounted, useIsTouched } from '#components/ui/hooks';
import { HELP_PATH } from '#components/desk/navigation';
import { Button } from '#components/ui/buttons';
import type { LookGap } from '#server/core/cms-look';

const say = previewStrings.look;

/** Page of the guide that tells how the companion plugin is installed. */
const GUIDE = `${HELP_PATH}/wordpress#how-a-draft-looks`;

interface LookNoteProps {
  /** The page's own word on what is shown, and why not something better (`published no-companion`). */
  readonly look: string;
  readonly onLook: (look: PreviewLook) => void;
}

function gapIn(words: readonly string[]): LookGap | undefined {
  return (Object.keys(say.gaps) as LookGap[]).find((gap) => words.includes(gap));
}

/** Says in whose design a page of a connected site is shown, why, and how that can be another one. */
export function LookNote({ look, onLook }: LookNoteProps) {
  const words = look.split(' ');
  const shown = (['draft', 'published'] as const).find((each) => words.includes(each)) ?? 'ours';
  const gap = gapIn(words);
  const needsPlugin = gap === 'no-companion' || gap === 'old-companion';
  return (
    <output className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-rule bg-paper px-3 py-1.5 text-xs text-ink-2">
      <span className="min-w-48 flex-1">
        {say[shown]}
        {gap !== undefined && ` ${say.gaps[gap]}`}
        {needsPlugin && (
          <>
            {' '}
            <a href={GUIDE} target="_blank" rel="noopener" className="text-accent underline">
              {say.guide}
            </a>
          </>
        )}
      </span>
      {shown !== 'ours' && (
        <Button onClick={() => onLook('ours')} className="h-7! text-xs!">
          {say.toOurs}
        </Button>
      )}
      {shown === 'ours' && gap === undefined && (
        <Button onClick={() => onLook('theirs')} className="h-7! text-xs!">
          {say.toTheirs}
        </Button>
      )}
    </output>
  );
}

const PageTools = fetchedLater(async () => (await import('#components/editor/page-tools')).PageTools);

interface Frame {
  readonly id: number;
  readonly src: string;
  readonly sectionIds: readonly string[];
}

interface PreviewFrameProps {
  readonly src: string;
  /** Sections to mark as just changed; the page scrolls to the first one unless it is in view. */
  readonly sectionIds: readonly string[];
  /** A new number loads `src` again, even the same address. */
  readonly version: number;
  readonly title: string;
  /** A page is there: its path in the browser's terms, and how a page of a connected site is shown (`data-look`). */
  readonly onNavigated: (pathname: string, look: string | null) => void;
  /** Called when the page could not be loaded, to show an error in its place. */
  readonly onFailed: () => void;
  /** Path on the site of a draft whose sections can be chosen; null: it is only looked at. */
  readonly editedPath: string | null;
}

/** Same origin, so its address and scroll position can be read; null while it is somewhere else. */
function windowOf(frame: HTMLIFrameElement | null | undefined): Window | null {
  try {
    return frame?.contentWindow?.location.pathname ? frame.contentWindow : null;
  } catch {
    return null;
  }
}

/** Reads how a page of a connected site is shown, as it says itself; null: it is of our own. */
function lookOf(page: Document): string | null {
  return page.querySelector<HTMLElement>('[data-look]')?.dataset['look'] ?? null;
}

/** Marks sections from outside, because the page may not run scripts of its own. */
function markSections(page: Window, sectionIds: readonly string[]): void {
  const sections = sectionIds.flatMap((id) => sectionElements(page.document, id));
  for (const section of sections) section.dataset['highlighted'] = '';
  const [first] = sections;
  if (!first) return;
  const { top, bottom } = first.getBoundingClientRect();
  if (top < 0 || bottom > page.innerHeight) page.scrollBy({ top: top - page.innerHeight / 8, behavior: 'instant' });
}

/**
 * The site in a frame. A new version loads behind the one that is shown and takes its place, scroll position
 * included, once it is there: no white flash between edits. Scripts stay off: the page is content to look at.
 */
export function PreviewFrame(props: PreviewFrameProps) {
  // Not in the server's HTML: such a frame could have loaded before anyone listens.
  return useIsMounted() ? <Frames {...props} /> : <Coming />;
}

/** Stands where the first page is on its way. */
function Coming() {
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

function Frames({ src, sectionIds, version, title, onNavigated, onFailed, editedPath }: PreviewFrameProps) {
  const [shown, setShown] = useState<ShownPage | null>(null);
  const [frames, setFrames] = useState<readonly Frame[]>([{ id: version, src, sectionIds }]);
  const [newest, setNewest] = useState(version);
  const [shownId, setShownId] = useState<number | null>(null);
  const isTouched = useIsTouched();
  const elements = useRef(new Map<number, HTMLIFrameElement>());

  // `version` alone says when to load: `src` also changes when a link inside the frame was followed.
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
    if (next) onNavigated(next.location.pathname, lookOf(next.document));
    // In the frame that is shown, a link may have led to another site.
    else if (frame.id !== shownId) onFailed();
  };

  const isLoading = frames.some(({ id }) => id !== shownId);
  return (
    <div className={clsx('relative h-full', shownId !== null && 'bg-white')} aria-busy={isLoading}>
      {shownId === null && <Coming />}
      {frames.map((frame) => (
        <iframe
          key={frame.id}
          ref={(element) => {
            if (element) elements.current.set(frame.id, element);
            else elements.current.delete(frame.id);
          }}
          src={frame.src}
          title={previewStrings.frame(title)}
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
      {shown && isTouched && editedPath !== null && <PageTools shown={shown} path={editedPath} />}
      {isLoading && <span aria-hidden className="absolute inset-x-0 top-0 h-0.5 animate-breathe bg-accent" />}
    </div>
  );
}

/** Common screens of their kind; CSS pixels. */
const widths = { desktop: 1280, tablet: 768, phone: 390 };

interface DeviceFrameProps {
  readonly device: PreviewDevice;
  readonly children: ReactNode;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Gives the page the width of a device, and makes all of it smaller where there is less room than that. */
export function DeviceFrame({ device, children }: DeviceFrameProps) {
  const room = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);

  useLayoutEffect(() => {
    const element = room.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={room} data-device={device} className="h-full overflow-hidden bg-desk">
      <div style={boxOf(device, size)} className={device === 'fit' ? 'h-full' : 'mx-auto origin-top-left shadow-sheet'}>
        {children}
      </div>
    </div>
  );
}

/** Styles the same element for every device; another element would load the page again. */
function boxOf(device: PreviewDevice, size: Size | null) {
  if (device === 'fit' || size === null || size.width === 0) return undefined;
  const width = widths[device];
  const scale = Math.min(1, size.width / width);
  return {
    width,
    height: size.height / scale,
    transform: `scale(${String(scale)})`,
    ...(scale < 1 && { marginInline: 0 }),
  };
}
