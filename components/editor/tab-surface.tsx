import { useEffect, useEffectEvent } from 'react';
import { type Hit, hitAt } from '#components/editor/page-geometry';
import type { SurfaceProps } from '#components/editor/page-surface';

const NOTHING = { link: null, control: null };

/** Pointer over a draft in a tab of its own, where scripts run: everything but a click in a section does what it always does. */
export function TabSurface({ page, onPoint, onPress, onPressTwice, textOf, onSelected }: SurfaceProps) {
  const hit = ({ clientX, clientY }: MouseEvent): Hit => hitAt(page.document, clientX, clientY);
  const isOfPage = ({ target }: Event) => target instanceof Element && target.closest('.site') !== null;

  const move = useEffectEvent((event: PointerEvent) => {
    if (event.pointerType !== 'touch') onPoint(isOfPage(event) ? hit(event) : null);
  });
  const press = useEffectEvent((event: MouseEvent) => {
    // What the tools themselves press is meant for the page.
    if (!event.isTrusted || !isOfPage(event)) return;
    const found = hit(event);
    if (found.section === null) return onPress({ ...found, ...NOTHING }, event);
    if (found.link && (event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    const selected = page.getSelection()?.toString() ?? '';
    if (selected !== '' && found.section.id === textOf && event.detail < 2) onSelected(selected);
    else onPress(found, event);
  });
  const pressTwice = useEffectEvent((event: MouseEvent) => {
    if (isOfPage(event)) onPressTwice(hit(event), event);
  });

  useEffect(() => {
    const { signal, ...listening } = listenUntil();
    const { document } = page;
    let next: PointerEvent | null = null;
    document.addEventListener(
      'pointermove',
      (event) => {
        const isWaiting = next !== null;
        next = event;
        if (isWaiting) return;
        requestAnimationFrame(() => {
          if (next !== null && !signal.aborted) move(next);
          next = null;
        });
      },
      { signal, passive: true },
    );
    document.addEventListener('click', (event) => press(event), { signal, capture: true });
    document.addEventListener('dblclick', (event) => pressTwice(event), { signal });
    return listening.end;
  }, [page]);
  return null;
}

function listenUntil(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, end: () => controller.abort() };
}
