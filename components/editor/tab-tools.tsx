'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useEffectEvent, useMemo, useState, useTransition } from 'react';
import { useDeskRequest } from '#components/desk/desk-requests';
import { deskPagePath } from '#components/desk/navigation';
import { sitePathOf } from '#components/desk/preview-path';
import { usePreviewHref } from '#components/desk/site-of-page';
import { getChosen } from '#components/editor/chosen';
import { EditorPanels, OutlineButton, UndoRedo } from '#components/editor/editor-panels';
import { PageStatus, useOpenPage } from '#components/editor/page-status';
import { PageTools } from '#components/editor/page-tools';
import { pointStrings as say } from '#components/editor/words';
import { ClientProviders } from '#components/shell/client-providers';
import '#components/editor/tab-tools.css';
import { type Hit, hitAt } from '#components/editor/page-geometry';
import type { SurfaceProps } from '#components/editor/page-surface';

/** The tools of the preview over a draft that is open in a tab of its own. */
export function TabTools({ nonce }: { readonly nonce: string }) {
  return (
    <ClientProviders nonce={nonce}>
      <Tools />
    </ClientProviders>
  );
}

function Tools() {
  const previewHref = usePreviewHref();
  const router = useRouter();
  const [path] = useState(() => sitePathOf(window.location.pathname) ?? '/');
  const [isPointing, setIsPointing] = useState(true);
  const [isRefreshing, refresh] = useTransition();
  // Another object once the page has been drawn anew.
  const shown = useMemo(() => ({ window, isRefreshing }), [isRefreshing]);
  const showAnew = () => {
    refresh(() => router.refresh());
    return true;
  };
  useOpenPage(path);
  useDeskRequest('reload-preview', showAnew);
  useDeskRequest('preview-changes', showAnew);
  useDeskRequest('focus-composer', () => {
    window.location.assign(deskPagePath(path, getChosen()?.sectionId));
    return true;
  });
  return (
    <>
      {isPointing && <PageTools shown={shown} path={path} Surface={TabSurface} />}
      <aside
        aria-label={say.tools}
        className="fixed right-3 bottom-3 z-30 flex items-center gap-1 rounded-xl border border-rule-strong bg-sheet p-1 shadow-sheet max-[899px]:top-3 max-[899px]:bottom-auto"
      >
        <PageStatus path={path} />
        <OutlineButton path={path} isPointing={isPointing} onPointing={setIsPointing} />
        <a
          href={deskPagePath(path)}
          className="inline-flex h-8 items-center rounded-md px-2.5 text-sm text-ink-2 no-underline hover:bg-ink/6 hover:text-ink"
        >
          {say.toAssistant}
        </a>
      </aside>
      <div className="@container pointer-events-none fixed inset-0 z-30">
        <div className="flex h-full flex-col justify-end *:pointer-events-auto @min-[46rem]:flex-row">
          <EditorPanels path={path} isDraft onGo={(to) => window.location.assign(previewHref(to, 'draft'))} />
        </div>
      </div>
      <UndoRedo sessionId={null} />
    </>
  );
}

const NOTHING = { link: null, control: null };

/** Pointer over a draft in a tab of its own, where scripts run: everything but a click in a section does what it always does. */
function TabSurface({ page, onPoint, onPress, onPressTwice, textOf, onSelected }: SurfaceProps) {
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
