import {
  type ReactNode,
  type Ref,
  type RefObject,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { kindName } from '#components/editor/model/field-labels.ts';
import { barTop, type Box, boxOf, isInSight, scaleOf } from '#components/editor/model/page-geometry.ts';
import type { Section } from '#server/core/site/content';

/** Distance between a section's frame and its bar, and around the bar; screen pixels. */
const GAP = 6;

interface PageFramesProps {
  readonly page: Window;
  /** The surrounding layer, as large as the page's window. */
  readonly layer: RefObject<HTMLElement | null>;
  readonly sections: readonly Section[];
  /** Receives the function that marks the section under the pointer: a moving pointer redraws only the frames. */
  readonly highlight: Ref<HighlightSection>;
  readonly chosenId: string | null;
  /** Drop position of a dragged section; pixels of the page's window. */
  readonly line: number | null;
  /** Bar of the chosen section; on a small screen a sheet at the bottom. */
  readonly bar: ReactNode;
  readonly isNarrow: boolean;
}

/** Sets the section that is marked as being under the pointer; null: none. */
export type HighlightSection = (sectionId: string | null) => void;

/**
 * Frames around the section under the pointer and the chosen section. Their positions are read in every animation
 * frame, because the page runs no scripts that could report scrolling.
 */
export function PageFrames({ page, layer, sections, highlight, chosenId, line, bar, isNarrow }: PageFramesProps) {
  const [pointedId, setPointedId] = useState<string | null>(null);
  useImperativeHandle(highlight, () => setPointedId, []);
  const lit = sections.find(({ id }) => id === pointedId && id !== chosenId);
  const litFrame = useRef<HTMLDivElement>(null);
  const chosenFrame = useRef<HTMLDivElement>(null);
  const barPlace = useRef<HTMLDivElement>(null);
  const litId = lit?.id ?? null;

  const draw = useEffectEvent(() => {
    const scale = scaleOf(layer.current);
    if (layer.current) setStyle(layer.current, '--unscale', String(1 / scale));
    putFrame(litFrame.current, litId === null ? null : boxOf(page, litId));
    const box = chosenId === null ? null : boxOf(page, chosenId);
    putFrame(chosenFrame.current, box);
    putBar(barPlace.current, box, page, scale, isNarrow);
  });
  const isIdle = litId === null && chosenId === null;
  useLayoutEffect(() => {
    let next = 0;
    const follow = () => {
      draw();
      if (!isIdle) next = requestAnimationFrame(follow);
    };
    follow();
    return () => cancelAnimationFrame(next);
  }, [isIdle]);

  const frame = 'invisible absolute top-0 left-0 rounded-md outline-solid';
  return (
    <div className="pointer-events-none absolute inset-0 overflow-hidden">
      <div ref={litFrame} className={`${frame} outline-2 outline-accent/55`}>
        {lit && (
          <span
            aria-hidden
            className="absolute top-1 left-1 origin-top-left scale-(--unscale) rounded bg-accent px-1.5 py-0.5 text-2xs text-accent-ink"
          >
            {kindName(lit.type)}
          </span>
        )}
      </div>
      <div ref={chosenFrame} data-chosen className={`${frame} outline-3 outline-accent`} />
      {line !== null && (
        <div
          aria-hidden
          data-drop-line
          style={{ top: line }}
          className="absolute inset-x-3 h-1 -translate-y-1/2 rounded-full bg-accent"
        />
      )}
      <div
        ref={barPlace}
        className={
          isNarrow
            ? 'group-has-[[data-writing]]/tools:hidden invisible absolute bottom-0 left-0 w-[calc(100%/var(--unscale))] origin-bottom-left scale-(--unscale)'
            : 'group-has-[[data-writing]]/tools:hidden invisible absolute top-0 left-0 w-max origin-top-left'
        }
      >
        {bar}
      </div>
    </div>
  );
}

/** Puts a frame around a box, or hides it. */
function putFrame(element: HTMLElement | null, box: Box | null): void {
  if (!element) return;
  setStyle(element, 'visibility', box ? 'visible' : 'hidden');
  if (!box) return;
  setStyle(element, 'transform', `translate(${String(box.left)}px, ${String(box.top)}px)`);
  setStyle(element, 'width', `${String(box.width)}px`);
  setStyle(element, 'height', `${String(box.height)}px`);
}

/** Puts the bar above a box, within the window; on a narrow screen it stays at the bottom. */
function putBar(element: HTMLElement | null, box: Box | null, page: Window, scale: number, isNarrow: boolean): void {
  if (!element) return;
  const isShown = box !== null && (isNarrow || isInSight(box, page.innerHeight));
  setStyle(element, 'visibility', isShown ? 'visible' : 'hidden');
  if (!isShown) return;
  if (isNarrow) {
    setStyle(element, 'transform', '');
    return;
  }
  const rightmost = page.innerWidth - element.offsetWidth / scale - GAP;
  const left = Math.max(GAP, Math.min(box.left, rightmost));
  const top = barTop(box, element.offsetHeight / scale, GAP / scale);
  setStyle(element, 'transform', `translate(${String(left)}px, ${String(top)}px) scale(${String(1 / scale)})`);
}

/** Sets a style only if it changes, because this runs in each frame. */
function setStyle(element: HTMLElement, name: string, value: string): void {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}
