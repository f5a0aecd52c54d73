import { type RefObject, useEffectEvent, useLayoutEffect, useRef } from 'react';
import type { Presence } from '#server/core/site/presence';
import { sectionElements } from '#components/editor/model/section-elements.ts';
import { scaleOf } from '#components/editor/model/page-geometry.ts';
import { presenceText } from '#components/editor/page/presence-list';

interface FieldsInUseProps {
  readonly page: Window;
  /** The surrounding layer, as large as the page's window. */
  readonly layer: RefObject<HTMLElement | null>;
  readonly others: readonly Presence[];
}

/** Draws a frame with a name around each field of a page that another person is editing. */
export function FieldsInUse({ page, layer, others }: FieldsInUseProps) {
  const writers = others.filter(({ place }) => place !== null);
  const frames = useRef(new Map<string, HTMLElement>());
  const draw = useEffectEvent(() => {
    const scale = scaleOf(layer.current);
    for (const { id, place } of writers) {
      const frame = frames.current.get(id);
      const box = place && fieldAt(page.document, place)?.getBoundingClientRect();
      if (!frame) continue;
      frame.hidden = !box;
      if (!box) continue;
      frame.style.transform = `translate(${String(box.left - 4)}px, ${String(box.top - 4)}px)`;
      frame.style.width = `${String(box.width + 8)}px`;
      frame.style.height = `${String(box.height + 8)}px`;
      frame.style.setProperty('--unscale', String(1 / scale));
    }
  });
  const isIdle = writers.length === 0;
  useLayoutEffect(() => {
    if (isIdle) return undefined;
    let next = 0;
    // Polls, because the page runs no scripts that could report scrolling.
    const follow = () => {
      draw();
      next = requestAnimationFrame(follow);
    };
    follow();
    return () => cancelAnimationFrame(next);
  }, [isIdle]);
  return (
    <div className="pointer-events-none absolute inset-0 overflow-hidden">
      {writers.map((other) => (
        <div
          key={other.id}
          hidden
          data-in-use={other.place?.field}
          ref={(element) => {
            if (element) frames.current.set(other.id, element);
            else frames.current.delete(other.id);
          }}
          className="absolute top-0 left-0 rounded outline-2 outline-amber outline-dashed"
        >
          <span className="absolute bottom-full left-0 origin-bottom-left scale-(--unscale) rounded bg-amber px-1.5 py-0.5 text-2xs whitespace-nowrap text-sheet">
            {presenceText(other)}
          </span>
        </div>
      ))}
    </div>
  );
}

/** The element that shows a field, or one that shows a value within it; the section if the page shows neither. */
function fieldAt(page: Document, { sectionId, field }: NonNullable<Presence['place']>): Element | null {
  const root = sectionId === null ? page : sectionElements(page, sectionId)[0];
  if (root === undefined) return null;
  const fields = [...root.querySelectorAll<HTMLElement>('[data-field]')].filter(
    (element) => sectionId !== null || element.closest('section[data-kind]') === null,
  );
  const names = [field, `${field}.`];
  const shown = fields.find(({ dataset }) => dataset['field'] === names[0]);
  const within = fields.find(({ dataset }) => dataset['field']?.startsWith(names[1] ?? '') === true);
  return shown ?? within ?? (sectionId === null ? null : (root as Element));
}
