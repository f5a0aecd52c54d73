import { Plus } from 'lucide-react';
import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { boxOf, type Hit, hitAt, scaleOf } from '#components/editor/model/page-geometry.ts';

const t = translator('pageSections');

/** Distance after which a pressed pointer selects text instead of clicking; pixels. */
const SELECTION_THRESHOLD = 4;

/** A click event, from React or the browser. */
interface Press {
  /** Pixels, from the edges of the window. */
  readonly clientX: number;
  readonly clientY: number;
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  /** Number of consecutive clicks; 0: by the keyboard. */
  readonly detail: number;
}

/** Props of a component that handles the pointer over a page. */
export interface SurfaceProps {
  readonly page: Window;
  /** Called when the pointer has moved; null: it has left the page. */
  readonly onPoint: (hit: Hit | null) => void;
  /** Called on a click. */
  readonly onPress: (hit: Hit, press: Press) => void;
  /** Called on a double click. */
  readonly onPressTwice: (hit: Hit, press: Press) => void;
  /** Section in which dragging selects text; null: none. */
  readonly textOf: string | null;
  /** Called with the text that the user has selected by dragging. */
  readonly onSelected: (text: string) => void;
  /** Id of the last section of the page; null: the page has none. */
  readonly lastId: string | null;
  /** Adds a section at the end of the page; absent while that is impossible. */
  readonly onAdd?: (() => void) | undefined;
}

/**
 * Layer over a page that runs no scripts: the layer receives the pointer instead of the page. It scrolls by wheel and
 * touch, and scrolls the page to the same position.
 */
export function PageSurface({ page, onPoint, onPress, onPressTwice, textOf, onSelected, lastId, onAdd }: SurfaceProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const size = useRef<HTMLDivElement>(null);
  const pointed = useRef<{ x: number; y: number } | null>(null);
  const selecting = useRef<{ readonly from: Caret; readonly x: number; readonly y: number; isMoved: boolean } | null>(
    null,
  );

  const adder = useRef<HTMLDivElement>(null);

  const sync = () => {
    follow(page, scroller, size);
    if (adder.current) adder.current.style.top = `${String(endOfSections(page, lastId))}px`;
  };
  const syncNow = useEffectEvent(sync);
  useEffect(() => syncNow());
  useEffect(() => {
    // Pictures that are loaded, and texts that are written, move the end of the page.
    const observer = new ResizeObserver(() => syncNow());
    observer.observe(page.document.documentElement);
    return () => observer.disconnect();
  }, [page]);

  const pointOf = (event: MouseEvent) => pointIn(scroller.current, event);
  const hit = (event: MouseEvent) => {
    const { x, y } = pointOf(event);
    return hitAt(page.document, x, y);
  };

  const trackPointer = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return;
    const isWaiting = pointed.current !== null;
    pointed.current = pointOf(event);
    // Once per frame, however often pointer events arrive.
    if (isWaiting) return;
    requestAnimationFrame(() => {
      const point = pointed.current;
      pointed.current = null;
      if (point === null || scroller.current === null) return;
      sync();
      const found = hitAt(page.document, point.x, point.y);
      scroller.current.style.cursor = cursorOver(found, textOf);
      scroller.current.title = found.field?.dataset['text'] === undefined ? '' : t('hint');
      onPoint(found);
    });
  };

  const startSelecting = (event: PointerEvent) => {
    if (event.pointerType === 'touch' || event.button !== 0 || hit(event).section?.id !== textOf) return;
    const { x, y } = pointOf(event);
    const from = caretAt(page.document, x, y);
    if (from) selecting.current = { from, x, y, isMoved: false };
  };
  const select = (event: PointerEvent) => {
    const start = selecting.current;
    if (start === null || (event.buttons & 1) === 0) return;
    const { x, y } = pointOf(event);
    if (!start.isMoved && Math.hypot(x - start.x, y - start.y) < SELECTION_THRESHOLD) return;
    if (!start.isMoved) event.currentTarget.setPointerCapture(event.pointerId);
    start.isMoved = true;
    const to = caretAt(page.document, x, y);
    if (to) page.getSelection()?.setBaseAndExtent(start.from.node, start.from.offset, to.node, to.offset);
  };

  // The outline and the surrounding layer handle the keyboard.
  /* oxlint-disable jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events */
  return (
    <div
      ref={scroller}
      tabIndex={-1}
      onScroll={({ currentTarget: { scrollTop: top, scrollLeft: left } }) => {
        const isThere = Math.abs(page.scrollY - top) < 1 && Math.abs(page.scrollX - left) < 1;
        if (!isThere) page.scrollTo({ top, left, behavior: 'instant' });
      }}
      onWheel={sync}
      onTouchStart={sync}
      onPointerDown={startSelecting}
      onPointerMove={(event) => {
        select(event);
        trackPointer(event);
      }}
      onPointerLeave={() => {
        pointed.current = null;
        onPoint(null);
      }}
      onClick={(event) => {
        const wasSelecting = selecting.current?.isMoved === true;
        selecting.current = null;
        if (wasSelecting) onSelected(page.getSelection()?.toString() ?? '');
        else onPress(hit(event), event);
      }}
      onDoubleClick={(event) => onPressTwice(hit(event), event)}
      className="pointer-events-auto absolute inset-0 touch-manipulation overflow-auto overscroll-contain outline-none [scrollbar-width:none]"
    >
      <div ref={size} className="relative">
        {onAdd && (
          // Its clicks and drags are none of the page.
          <div
            ref={adder}
            onClick={(event) => event.stopPropagation()}
            onDoubleClick={(event) => event.stopPropagation()}
            onPointerDown={(event) => event.stopPropagation()}
            onPointerMove={(event) => event.stopPropagation()}
            className="absolute left-1/2 -translate-1/2 font-sans"
          >
            <Button
              // While a section is chosen, its bar comes next, and adds sections below it.
              tabIndex={textOf === null ? 0 : -1}
              className="scale-(--unscale) bg-sheet shadow-sheet"
              onClick={onAdd}
            >
              <Plus aria-hidden className="size-4" />
              {t('outline.add')}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** Smallest distance of the button from the upper edge of a page without sections, and its distance from the lower; pixels. */
const EMPTY_PAGE_GAP = 80;

/** Lower edge of the last section, from the upper edge of the page; pixels. */
function endOfSections(page: Window, lastId: string | null): number {
  const box = lastId === null ? null : boxOf(page, lastId);
  const main = page.document.querySelector('main')?.getBoundingClientRect();
  const inEmpty = Math.max((main?.top ?? 0) + EMPTY_PAGE_GAP, (main?.bottom ?? 0) - EMPTY_PAGE_GAP);
  const end = box === null ? inEmpty : box.top + box.height;
  return end + page.scrollY;
}

/** Makes the layer as large as the page, and scrolls it to the page's position. */
function follow(page: Window, layer: RefObject<HTMLDivElement | null>, size: RefObject<HTMLDivElement | null>): void {
  const root = page.document.scrollingElement;
  if (!root || !layer.current || !size.current) return;
  // Leaves the page's own scrollbar uncovered.
  layer.current.style.right = `${String(Math.max(0, page.innerWidth - root.clientWidth))}px`;
  size.current.style.width = `${String(root.scrollWidth)}px`;
  size.current.style.height = `${String(root.scrollHeight)}px`;
  if (Math.abs(layer.current.scrollTop - page.scrollY) >= 1) layer.current.scrollTop = page.scrollY;
  if (Math.abs(layer.current.scrollLeft - page.scrollX) >= 1) layer.current.scrollLeft = page.scrollX;
}

/** Converts the position of an event to page coordinates; the page may be scaled down. */
function pointIn(layer: HTMLElement | null, { clientX, clientY }: MouseEvent): { x: number; y: number } {
  if (layer === null) return { x: -1, y: -1 };
  const { left, top } = layer.getBoundingClientRect();
  const scale = scaleOf(layer);
  return { x: (clientX - left) / scale, y: (clientY - top) / scale };
}

function cursorOver({ section, field, control }: Hit, textOf: string | null): string {
  if (section === null) return control === null ? 'default' : 'pointer';
  return section.id === textOf && field !== null ? 'text' : 'pointer';
}

interface Caret {
  readonly node: Node;
  readonly offset: number;
}

function caretAt(page: Document, x: number, y: number): Caret | null {
  if ('caretPositionFromPoint' in page) {
    const position = page.caretPositionFromPoint(x, y);
    return position && { node: position.offsetNode, offset: position.offset };
  }
  // oxlint-disable-next-line typescript/no-deprecated -- older browsers have this one alone.
  const range = (page as Document).caretRangeFromPoint(x, y);
  return range && { node: range.startContainer, offset: range.startOffset };
}
