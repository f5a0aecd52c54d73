'use client';

import clsx from 'clsx';
import { GripVertical, Plus, Settings2 } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { choose, revealSection, useChosen } from '#components/editor/model/selection.ts';
import { useDragOrder } from '#components/editor/model/drag-order.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { type PageEditor, usePageEditor } from '#components/editor/model/page-editor.ts';
import { translator } from '#components/i18n.ts';
import { usePanelActions } from '#components/editor/actions/panel-actions.ts';
import { moveSection, removeSection, stepSection } from '#components/editor/model/section-actions.ts';
import { Switch } from '#components/ui/controls/choices';
import { Button, IconButton } from '#components/ui/buttons';
import type { EntryDocument, Section } from '#server/core/site/content';
import { sectionName } from '#server/core/site/section-name';

const t = translator('pageSections.outline');

interface OutlineProps {
  readonly path: string;
  /** True if a click chooses a section; otherwise the page works as for visitors. */
  readonly isPointing: boolean;
  readonly onPointing: (isPointing: boolean) => void;
  /** Called also when something else opens instead. */
  readonly onClose: () => void;
}

/** Outline of a page, and the switch between choosing sections and viewing. */
export function Outline({ path, isPointing, onPointing, onClose }: OutlineProps) {
  const { editor, state } = usePageEditor(path);
  const { openSettings, addSection } = usePanelActions();
  return (
    <>
      <header className="flex items-center justify-between gap-2 py-2 pr-2 pl-4">
        <h2 className="text-sm font-medium">{t('title')}</h2>
        <IconButton
          label={t('settings')}
          icon={<Settings2 aria-hidden />}
          onClick={() => {
            onClose();
            openSettings();
          }}
        />
      </header>
      {state.document === null ? (
        <p className="px-4 pb-4 text-sm text-ink-3">{t('loading')}</p>
      ) : (
        <Tree editor={editor} document={state.document} onEdit={onClose} />
      )}
      <footer className="flex flex-wrap items-center justify-between gap-2 border-t border-rule py-2 pr-2 pl-3">
        <Switch
          label={t('mode')}
          value={isPointing ? 'edit' : 'look'}
          choices={{ edit: t('modes.edit'), look: t('modes.look') }}
          onChange={(mode) => onPointing(mode === 'edit')}
        />
        <Button
          variant="ghost"
          onClick={() => {
            onClose();
            addSection(state.document?.sections.length ?? 0);
          }}
        >
          <Plus aria-hidden className="size-4" />
          {t('add')}
        </Button>
      </footer>
    </>
  );
}

interface TreeProps {
  readonly editor: PageEditor;
  readonly document: EntryDocument;
  /** Called when something else opens instead of the outline. */
  readonly onEdit: () => void;
}

/** The sections of a page as a tree with one level: arrows choose, Enter edits, Alt with an arrow or a drag moves. */
function Tree({ editor, document: { sections }, onEdit }: TreeProps) {
  const tree = useRef<HTMLUListElement>(null);
  const { editSection } = usePanelActions();
  const chosenId = useChosen()?.sectionId ?? null;
  const drag = useDragOrder(tree, (from, to) => {
    const section = sections[from];
    if (section) void moveSection(editor, section.id, to);
  });
  const chosenAt = sections.findIndex(({ id }) => id === chosenId);
  const current = Math.max(0, chosenAt);

  // A row that was moved, or that replaces a removed one, keeps the focus.
  useEffect(() => {
    const { activeElement, body } = window.document;
    const isHere = activeElement === body || tree.current?.contains(activeElement);
    const row = tree.current?.children[chosenAt];
    if (isHere && row instanceof HTMLElement) row.focus();
  }, [chosenAt]);

  const show = (section: Section | undefined) => {
    if (!section) return;
    choose(section.id);
    revealSection(section.id);
  };
  const keys: Readonly<Record<string, (section: Section, isMoving: boolean) => void>> = {
    ArrowUp: (section, isMoving) => (isMoving ? void stepSection(editor, section.id, -1) : show(sections[current - 1])),
    ArrowDown: (section, isMoving) =>
      isMoving ? void stepSection(editor, section.id, 1) : show(sections[current + 1]),
    Home: () => show(sections[0]),
    End: () => show(sections.at(-1)),
    ' ': show,
    Delete: (section) => void removeSection(editor, section.id),
    Backspace: (section) => void removeSection(editor, section.id),
    Enter: ({ id: sectionId }) => {
      choose(sectionId);
      onEdit();
      editSection(sectionId);
    },
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const section = sections[current];
    const act = keys[event.key];
    if (!act || !section || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(section, event.altKey);
  };

  if (sections.length === 0) return <p className="px-4 pb-4 text-sm text-ink-3">{t('empty')}</p>;
  return (
    <>
      <p id="outline-help" className="sr-only">
        {t('help')}
      </p>
      <ul
        ref={tree}
        role="tree"
        aria-label={t('title')}
        aria-describedby="outline-help"
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2"
      >
        {sections.map((section, index) => (
          <Row
            key={section.id}
            section={section}
            isChosen={section.id === chosenId}
            isCurrent={index === current}
            isDragged={drag.isDragged(index)}
            style={drag.styleOf(index)}
            onChoose={() => show(section)}
            onEdit={() => keys['Enter']?.(section, false)}
            onGrab={(event) => drag.grab(event, index)}
          />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  readonly section: Section;
  readonly isChosen: boolean;
  /** True for the row that Tab reaches. */
  readonly isCurrent: boolean;
  readonly isDragged: boolean;
  readonly style: { readonly transform: string } | undefined;
  readonly onChoose: () => void;
  readonly onEdit: () => void;
  readonly onGrab: (event: PointerEvent) => void;
}

function Row({ section, isChosen, isCurrent, isDragged, style, onChoose, onEdit, onGrab }: RowProps) {
  const kind = kindName(section.type);
  const name = sectionName(section);
  // The tree handles the keys.
  /* oxlint-disable jsx-a11y/click-events-have-key-events */
  return (
    <li
      role="treeitem"
      aria-level={1}
      aria-selected={isChosen}
      tabIndex={isCurrent ? 0 : -1}
      style={style}
      onClick={onChoose}
      onDoubleClick={onEdit}
      className={clsx(
        'flex min-h-9 cursor-default items-center gap-2 rounded-md pr-2 text-sm outline-none select-none focus-visible:ring-2 focus-visible:ring-accent max-[899px]:min-h-11',
        isChosen ? 'bg-accent-wash' : 'hover:bg-ink/6',
        isDragged && 'relative z-10 bg-sheet shadow-sheet',
        style && !isDragged && 'transition-transform',
      )}
    >
      <span
        title={t('drag')}
        onPointerDown={onGrab}
        className="flex cursor-grab touch-none items-center self-stretch px-1.5 text-ink-3"
      >
        <GripVertical aria-hidden className="size-3.5" />
      </span>
      <span className="min-w-0 flex-1 truncate">{name === '' ? kind : name}</span>
      {name !== '' && <span className="shrink-0 text-xs text-ink-3">{kind}</span>}
    </li>
  );
}
