'use client';

import clsx from 'clsx';
import { type ComponentType, type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { choose, chooseText, lastChosenId, revealedSection, useChosen } from '#components/editor/model/selection.ts';
import { sectionTitle } from '#components/editor/model/field-labels.ts';
import { usePageEditor } from '#components/editor/model/page-editor.ts';
import { FieldEditor } from '#components/editor/page/field-editor';
import { SECTIONS_ID } from '#components/editor/page/focus-sections.ts';
import { FindBar } from '#components/editor/find/find-bar';
import { FieldsInUse } from '#components/editor/page/fields-in-use';
import { type HighlightSection, PageFrames } from '#components/editor/page/page-frames';
import { idOf, reveal, scaleOf, sectionsOf } from '#components/editor/model/page-geometry.ts';
import type { ShownPage } from '#components/editor/model/shown-page.ts';
import { SECTION } from '#components/editor/model/section-elements.ts';
import { PageSurface, type SurfaceProps } from '#components/editor/page/page-surface';
import { translator } from '#components/i18n.ts';
import { SectionBar } from '#components/editor/page/section-bar';
import { usePanelActions } from '#components/editor/actions/panel-actions.ts';
import { announcement } from '#components/editor/model/announcements.ts';
import { removeSection, stepSection } from '#components/editor/model/section-actions.ts';
import { useMediaQuery, useStore } from '#components/ui/hooks.ts';
import { isComposing, useIsApple } from '#components/ui/keys.ts';
import { useSectionDrag } from '#components/editor/model/section-drag.ts';
import { textElement } from '#components/editor/page/covered-text.ts';
import type { FieldPlace } from '#components/editor/model/places.ts';

const t = translator('pageSections');

/** Screens on which the bar of a section is a sheet at the bottom. */
const NARROW = '(max-width: 899px)';

interface PageToolsProps {
  readonly shown: ShownPage;
  /** Path of the page on the site. */
  readonly path: string;
  /**
   * Component that handles the pointer. Default: a layer over a page in a frame; otherwise the page is that of the tab
   * itself.
   */
  readonly Surface?: ComponentType<SurfaceProps>;
  /** Moves the focus to the message field of the chat. */
  readonly onAsk: () => void;
}

/**
 * Tools over a draft in a frame of the same size: its sections are highlighted under the pointer, and chosen by a click
 * or by keys. All tools live outside the page, which runs no scripts.
 */
export function PageTools({ shown, path, Surface = PageSurface, onAsk }: PageToolsProps) {
  const { window: page } = shown;
  const { editor, state } = usePageEditor(path);
  const sections = state.document?.sections ?? [];
  const chosen = useChosen();
  const highlight = useRef<HighlightSection>(null);
  const [link, setLink] = useState<HTMLAnchorElement | null>(null);
  const layer = useRef<HTMLElement>(null);
  const helpId = useId();
  const drag = useSectionDrag(page, editor, layer);
  const isNarrow = useMediaQuery(NARROW);
  const { editSection, addSection, isFinding, setFinding } = usePanelActions();
  const isApple = useIsApple();
  const text = useWriting(page);
  const chosenId = chosen?.sectionId ?? null;
  const index = sections.findIndex(({ id }) => id === chosenId);

  /** Section to scroll to after the next load of the page, because it is not on the page yet. */
  const revealAfterLoad = useRef<string | null>(null);
  useEffect(
    () =>
      revealedSection.listen((wanted) => {
        if (wanted?.isComing) revealAfterLoad.current = wanted.sectionId;
        else if (wanted) reveal(page, wanted.sectionId);
      }),
    [page],
  );
  useEffect(() => {
    if (revealAfterLoad.current !== null) reveal(shown.window, revealAfterLoad.current);
    revealAfterLoad.current = null;
  }, [shown]);

  const focusLayer = () => layer.current?.focus({ preventScroll: true });
  const keepInView = useEffectEvent(() => {
    // A panel makes the page smaller, and could hide the chosen section.
    if (chosenId !== null && document.querySelector('[data-panel]') !== null) reveal(page, chosenId);
  });
  useEffect(() => {
    if (!layer.current) return undefined;
    const observer = new ResizeObserver(() => keepInView());
    observer.observe(layer.current);
    return () => observer.disconnect();
  }, []);

  const clearSelection = () => {
    choose(null);
    page.getSelection()?.removeAllRanges();
  };

  const onPress: SurfaceProps['onPress'] = (hit, event) => {
    if (hit.link && (event.metaKey || event.ctrlKey)) return hit.link.click();
    if (hit.section === null) {
      clearSelection();
      // Outside the sections the page works as for visitors: its menu and footer react to clicks.
      hit.control?.click();
      return;
    }
    if (hit.section.id !== chosenId) choose(hit.section.id);
    else if (event.detail === 1) hit.control?.closest('summary')?.click();
    page.getSelection()?.removeAllRanges();
    chooseText(null);
    setLink(hit.link);
    focusLayer();
  };

  const editAt = (sectionId: string | null, field: HTMLElement | null, at?: { x: number; y: number }) => {
    const name = field?.dataset['field'];
    const isText = field?.dataset['text'] !== undefined && name !== undefined;
    if (isText && text.open({ sectionId, field: name }, at)) return;
    if (sectionId !== null) editSection(sectionId);
  };

  const step = (direction: -1 | 1) => {
    // A key is faster than a response: until the document is loaded, the displayed page has the same sections.
    const ids = (state.document ? sections : sectionsOf(page.document)).map(({ id }) => id);
    const at = ids.indexOf(lastChosenId() ?? '');
    const next = ids[at === -1 ? 0 : Math.max(0, Math.min(at + direction, ids.length - 1))];
    if (next === undefined) return;
    choose(next);
    setLink(null);
    reveal(page, next);
  };

  /** Edits the text at a match, or opens the fields of its section. */
  const editMatch = (match: Range) => {
    const element = match.startContainer.parentElement;
    const { left, top, height } = match.getBoundingClientRect();
    const around = layer.current?.getBoundingClientRect();
    const scale = scaleOf(layer.current);
    const sectionId = sectionAt(match);
    if (sectionId !== null) choose(sectionId);
    editAt(sectionId, element?.closest<HTMLElement>('[data-field]') ?? null, {
      x: (around?.left ?? 0) + left * scale,
      y: (around?.top ?? 0) + (top + height / 2) * scale,
    });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // A second press, in the bar, is for the browser.
    const isFindKey = event.key.toLowerCase() === 'f' && !event.shiftKey && !event.altKey;
    // Dialogs are rendered elsewhere, but their events arrive here, too.
    if (!event.currentTarget.contains(event.target as Node)) return;
    const search = layer.current?.querySelector('search');
    if (isFindKey && (isApple ? event.metaKey : event.ctrlKey) && search?.contains(event.target as Node) !== true) {
      event.preventDefault();
      setFinding(true);
      search?.querySelector('input')?.focus();
      return;
    }
    const isOwn = event.target === layer.current;
    const isInBar = (event.target as Element).closest('[role=toolbar]') !== null;
    if ((!isOwn && !isInBar) || isComposing(event)) return;
    const direction = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    const markHandled = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (event.key === 'Escape' && chosenId !== null) {
      markHandled();
      clearSelection();
      focusLayer();
    } else if (event.altKey && direction !== undefined && chosenId !== null) {
      markHandled();
      void stepSection(editor, chosenId, direction);
    } else if (!isOwn) {
      return;
    } else if (direction !== undefined) {
      markHandled();
      step(direction);
    } else if (chosenId === null) {
      return;
    } else if (event.key === 'Enter') {
      markHandled();
      editAt(chosenId, page.document.getElementById(chosenId)?.querySelector<HTMLElement>('[data-text]') ?? null);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      markHandled();
      void removeSection(editor, chosenId);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // Typed text concerns the chosen section, and continues in the message field.
      onAsk();
    }
  };

  const bar = chosen && index !== -1 && (
    <SectionBar
      chosen={chosen}
      editor={editor}
      count={sections.length}
      index={index}
      onOpenLink={link?.isConnected ? () => link.click() : undefined}
      onAsk={onAsk}
      onGrab={(event) => drag.grab(event, chosen.sectionId)}
      onClear={() => {
        clearSelection();
        focusLayer();
      }}
      isNarrow={isNarrow}
    />
  );

  // A group with key navigation, like a tree or a grid, but without the sections as its children.
  /* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */
  return (
    <section
      ref={layer}
      id={SECTIONS_ID}
      aria-label={t('surface')}
      aria-describedby={helpId}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={clsx(
        'pointer-events-none inset-0 outline-none',
        // Otherwise the frame around the section shows the focus.
        chosenId === null && 'focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]',
        Surface === PageSurface ? 'absolute' : 'fixed z-20',
      )}
    >
      <p id={helpId} className="sr-only">
        {t('surfaceHelp')}
      </p>
      <Surface
        page={page}
        onPoint={(hit) => highlight.current?.(hit?.section?.id ?? null)}
        onPress={onPress}
        onPressTwice={({ section, field }, { clientX: x, clientY: y }) => editAt(section?.id ?? null, field, { x, y })}
        textOf={chosenId}
        onSelected={chooseText}
        lastId={sections.at(-1)?.id ?? null}
        onAdd={state.document && !text.writing ? () => addSection(sections.length) : undefined}
      />
      <PageFrames
        page={page}
        layer={layer}
        sections={sections}
        highlight={highlight}
        chosenId={chosenId}
        line={drag.line}
        bar={bar}
        isNarrow={isNarrow}
      />
      <FieldsInUse page={page} layer={layer} others={state.others} />
      {text.writing && (
        <FieldEditor
          key={text.writing.id}
          page={page}
          path={path}
          layer={layer}
          place={text.writing.place}
          at={text.writing.at}
          onStuck={text.noteStuck}
          onLeave={(how) => {
            text.close();
            if (how === 'key') focusLayer();
          }}
          onGo={text.open}
        />
      )}
      {isFinding && (
        <FindBar
          shown={shown}
          entryId={state.entry?.id}
          onEdit={editMatch}
          onClose={(match) => {
            setFinding(false);
            const sectionId = match ? sectionAt(match) : null;
            if (sectionId !== null) choose(sectionId);
            focusLayer();
          }}
        />
      )}
      <Announcer chosen={chosen && t('chosen', { what: sectionTitle(chosen.kind, chosen.name) })} />
    </section>
  );
}

/** Id of the section around a match; null: it is outside of all sections. */
function sectionAt(match: Range): string | null {
  const section = match.startContainer.parentElement?.closest<HTMLElement>(SECTION);
  return section ? idOf(section) : null;
}

/** Announces the chosen section and the results of actions to screen readers. */
function Announcer({ chosen }: { readonly chosen: string | null }) {
  const moved = useStore(announcement);
  useEffect(() => () => announcement.set(''), []);
  return (
    <>
      <output className="sr-only">{chosen ?? ''}</output>
      <output className="sr-only">{moved}</output>
    </>
  );
}

/** A text that is being edited. */
interface Writing {
  readonly place: FieldPlace;
  /** Point of the screen for the cursor; undefined: the end of the text. */
  readonly at?: { readonly x: number; readonly y: number } | undefined;
  /** A new number each time that a text is opened. */
  readonly id: number;
}

/** State of the text that is being edited in place. */
function useWriting(page: Window) {
  const [writing, setWriting] = useState<Writing | null>(null);
  /** The text cannot be saved, and would be lost. */
  const isStuck = useRef(false);
  const count = useRef(0);
  return {
    /** Null: none. */
    writing,
    /** Opens a text, with the cursor at a point of the screen or at its end. False if the page does not have it. */
    open: (place: FieldPlace, at?: Writing['at']): boolean => {
      if (textElement(page.document, place) === null) return false;
      if (isStuck.current) return true;
      count.current += 1;
      setWriting({ place, at, id: count.current });
      return true;
    },
    noteStuck: (now: boolean) => {
      isStuck.current = now;
    },
    /** Closes this text, and not one that was opened since. */
    close: () => {
      isStuck.current = false;
      setWriting((now) => (now === writing ? null : now));
    },
  };
}
