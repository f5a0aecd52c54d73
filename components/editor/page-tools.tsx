'use client';

import clsx from 'clsx';
import {
  type ComponentType,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { askDesk, useDeskRequest } from '#components/desk/desk-requests';
import { choose, chooseText, useChosen, wantedSection } from '#components/editor/chosen';
import { kindWords } from '#components/editor/field-words';
import { usePageEditor } from '#components/editor/page-editor';
import { FieldsInUse } from '#components/editor/fields-in-use';
import { type Light, PageFrames } from '#components/editor/page-frames';
import { reveal, sectionsOf } from '#components/editor/page-geometry';
import { PageSurface, type SurfaceProps } from '#components/editor/page-surface';
import { pointStrings as say } from '#components/editor/words';
import { SectionBar } from '#components/editor/section-bar';
import { onAnnounced, removeSection, stepSection } from '#components/editor/structure';
import { useMediaQuery } from '#components/ui/hooks';
import { isComposing } from '#components/ui/keys';
import { useSectionDrag } from '#components/editor/drag-order';
import { textElement } from '#components/editor/covered-text';
import type { FieldPlace } from '#components/editor/places';
import { fetchedLater } from '#components/ui/fetched-later';

// The desk fetches these with the tools: apart from them they would bring the page's editor once more.
export { OpenPage, PageStatus } from '#components/editor/page-status';
export { PlanControl } from '#components/editor/plan-control';

/** Width below which the bar is a sheet at the bottom. */
const NARROW = '(max-width: 899px)';

/** A page in a frame; another object each time that it was loaded. */
export interface ShownPage {
  readonly window: Window;
}

interface PageToolsProps {
  readonly shown: ShownPage;
  /** Path of the page on the site. */
  readonly path: string;
  /** Hears the pointer. Default: a layer over a page in a frame; else the page is that of the tab itself. */
  readonly Surface?: ComponentType<SurfaceProps>;
}

/**
 * Tools over a draft that is shown in a frame of the same size: its sections light up under the pointer and are chosen by
 * a click or by keys. All of it lives outside of the page, where no script runs.
 */
export function PageTools({ shown, path, Surface = PageSurface }: PageToolsProps) {
  const { window: page } = shown;
  const { editor, state } = usePageEditor(path);
  const sections = state.document?.sections ?? [];
  const chosen = useChosen();
  const light = useRef<Light>(null);
  const [link, setLink] = useState<HTMLAnchorElement | null>(null);
  const layer = useRef<HTMLElement>(null);
  const helpId = useId();
  const drag = useSectionDrag(page, editor, layer);
  const isNarrow = useMediaQuery(NARROW);
  const chosenId = chosen?.sectionId ?? null;
  const index = sections.findIndex(({ id }) => id === chosenId);

  const coming = useRef<string | null>(null);
  useDeskRequest('reveal-section', ({ sectionId, isComing = false }) => {
    if (isComing) coming.current = sectionId;
    else reveal(page, sectionId);
    return true;
  });
  useEffect(() => {
    if (coming.current !== null) reveal(shown.window, coming.current);
    coming.current = null;
  }, [shown]);

  const letGo = () => {
    choose(null);
    page.getSelection()?.removeAllRanges();
  };
  const focusLayer = () => layer.current?.focus({ preventScroll: true });

  const onPress: SurfaceProps['onPress'] = (hit, event) => {
    if (hit.link && (event.metaKey || event.ctrlKey)) return hit.link.click();
    if (hit.section === null) {
      letGo();
      // Around the sections the page is as it is for visitors: its menu, its footer.
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

  const write = (sectionId: string | null, field: HTMLElement | null, at?: { x: number; y: number }) => {
    const name = field?.dataset['field'];
    const isText = field?.dataset['text'] !== undefined && name !== undefined;
    if (isText && askDesk('edit-text', { sectionId, field: name, ...(at && { at }) })) return;
    if (sectionId !== null) askDesk('edit-section', { sectionId });
  };

  const step = (direction: -1 | 1) => {
    // A key is faster than an answer: until the document is known, the page that is shown has the same sections.
    const ids = (state.document ? sections : sectionsOf(page.document)).map(({ id }) => id);
    const at = ids.indexOf(wantedSection() ?? '');
    const next = ids[at === -1 ? 0 : Math.max(0, Math.min(at + direction, ids.length - 1))];
    if (next === undefined) return;
    choose(next);
    setLink(null);
    reveal(page, next);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const isOwn = event.target === layer.current;
    const isInBar = (event.target as Element).closest('[role=toolbar]') !== null;
    if ((!isOwn && !isInBar) || isComposing(event)) return;
    const direction = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    const isDone = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (event.key === 'Escape' && chosenId !== null) {
      isDone();
      letGo();
      focusLayer();
    } else if (event.altKey && direction !== undefined && chosenId !== null) {
      isDone();
      void stepSection(editor, chosenId, direction);
    } else if (!isOwn) {
      return;
    } else if (direction !== undefined) {
      isDone();
      step(direction);
    } else if (chosenId === null) {
      return;
    } else if (event.key === 'Enter') {
      isDone();
      write(chosenId, page.document.getElementById(chosenId)?.querySelector<HTMLElement>('[data-text]') ?? null);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      isDone();
      void removeSection(editor, chosenId);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // What is typed is about the chosen section: it goes on in the message field.
      askDesk('focus-composer', null);
    }
  };

  const bar = chosen && index !== -1 && (
    <SectionBar
      chosen={chosen}
      editor={editor}
      count={sections.length}
      index={index}
      onOpenLink={link?.isConnected ? () => link.click() : undefined}
      onAsk={() => askDesk('focus-composer', null)}
      onGrab={(event) => drag.grab(event, chosen.sectionId)}
      onLetGo={() => {
        letGo();
        focusLayer();
      }}
      isNarrow={isNarrow}
    />
  );

  // A group that keys go through, as a tree or a grid would be, of which the sections themselves are no part.
  /* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */
  return (
    <section
      ref={layer}
      aria-label={say.surface}
      aria-describedby={helpId}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={clsx(
        'pointer-events-none inset-0 outline-none',
        // Else the frame around the section says it.
        chosenId === null && 'focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]',
        Surface === PageSurface ? 'absolute' : 'fixed z-20',
      )}
    >
      <p id={helpId} className="sr-only">
        {say.surfaceHelp}
      </p>
      <Surface
        page={page}
        onPoint={(hit) => light.current?.(hit?.section?.id ?? null)}
        onPress={onPress}
        onPressTwice={({ section, field }, { clientX: x, clientY: y }) => write(section?.id ?? null, field, { x, y })}
        textOf={chosenId}
        onSelected={chooseText}
      />
      <PageFrames
        page={page}
        layer={layer}
        sections={sections}
        light={light}
        chosenId={chosenId}
        line={drag.line}
        bar={bar}
        isNarrow={isNarrow}
      />
      <FieldsInUse page={page} layer={layer} others={state.others} />
      <TextEditor page={page} path={path} layer={layer} isLikely={chosenId !== null} onLeft={focusLayer} />
      <Announcer chosen={chosen && say.chosen(say.section(kindWords[chosen.kind].name, chosen.name))} />
    </section>
  );
}

/** Tells screen readers what is chosen and what became of it. */
function Announcer({ chosen }: { readonly chosen: string | null }) {
  const [moved, setMoved] = useState('');
  const hear = useEffectEvent((words: string) => setMoved(words));
  useEffect(() => onAnnounced((words) => hear(words)), []);
  return (
    <>
      <output className="sr-only">{chosen ?? ''}</output>
      <output className="sr-only">{moved}</output>
    </>
  );
}

const load = () => import('#components/editor/field-editor');
const FieldEditor = fetchedLater(async () => (await load()).FieldEditor);

/** A text that is being written. */
interface Writing {
  readonly place: FieldPlace;
  /** Point of the screen where the cursor goes; undefined: behind the last word. */
  readonly at?: { readonly x: number; readonly y: number } | undefined;
  /** Another number each time that a text is opened. */
  readonly id: number;
}

interface TextEditorProps {
  /** Window of the draft over which this is drawn. */
  readonly page: Window;
  /** Path of the page on the site. */
  readonly path: string;
  /** The layer that this is in, as large as the page's window. */
  readonly layer: RefObject<HTMLElement | null>;
  /** A text is likely to be written soon: the code for it is fetched. */
  readonly isLikely: boolean;
  /** Called when a text was left by a key, to take the focus. */
  readonly onLeft: () => void;
}

/** Writes the texts of a draft in place, as the desk asks for it. */
function TextEditor({ page, path, layer, isLikely, onLeft }: TextEditorProps) {
  const [writing, setWriting] = useState<Writing | null>(null);
  /** The text cannot be saved, and would be lost. */
  const isStuck = useRef(false);
  const count = useRef(0);

  useEffect(() => {
    // Its component fetches it again, and says so where that fails.
    if (isLikely) void load().catch(() => undefined);
  }, [isLikely]);

  useDeskRequest('edit-text', ({ sectionId, field, at }) => {
    if (textElement(page.document, { sectionId, field }) === null) return false;
    if (isStuck.current) return true;
    count.current += 1;
    setWriting({ place: { sectionId, field }, at, id: count.current });
    return true;
  });

  if (writing === null) return null;
  return (
    <FieldEditor
      key={writing.id}
      page={page}
      path={path}
      layer={layer}
      place={writing.place}
      at={writing.at}
      onStuck={(now) => {
        isStuck.current = now;
      }}
      onLeave={(how) => {
        isStuck.current = false;
        setWriting((now) => (now === writing ? null : now));
        if (how === 'key') onLeft();
      }}
    />
  );
}
