import { ListTree } from 'lucide-react';
import { useState } from 'react';
import { toast } from '#components/toast';
import { useMayDraft } from '#components/access/access-client';
import { useDeskRequest } from '#components/desk/desk-requests';
import { entryPath } from '#components/desk/preview-path';
import { choose } from '#components/editor/chosen';
import { IconButton } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { useOpened } from '#components/ui/hooks';
import { Popover } from '#components/ui/menus';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';
import type { Conflict } from '#server/core/changes';

const SectionPanel = fetchedLater(async () => (await import('#components/editor/section-panel')).SectionPanel);
const PageSettings = fetchedLater(async () => (await import('#components/editor/page-settings')).PageSettings);
const AddSection = fetchedLater(async () => (await import('#components/editor/add-section')).AddSection);
const ConflictDialog = fetchedLater(async () => (await import('#components/changes/undo-dialog')).ConflictDialog);
const Outline = fetchedLater(async () => (await import('#components/editor/outline')).Outline);
const NewPage = fetchedLater(async () => (await import('#components/editor/new-page')).NewPage);

/** The open panel, and its page. */
type Opened =
  | { readonly what: 'section'; readonly path: string; readonly sectionId: string }
  | { readonly what: 'settings'; readonly path: string };

interface EditorPanelsProps {
  /** Path of the page that is shown. */
  readonly path: string;
  /** The draft is shown, which alone can be edited. */
  readonly isDraft: boolean;
  /** Shows another page. */
  readonly onGo: (path: string) => void;
}

/** Panels and dialogs of the page that is shown: a section, its settings, a new section, a new page. */
export function EditorPanels({ path, isDraft, onGo }: EditorPanelsProps) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const adding = useOpened<{ readonly path: string; readonly index: number }>();
  const making = useOpened();
  const mayDraft = useMayDraft();
  const canEdit = isDraft && mayDraft;

  useDeskRequest('edit-section', ({ sectionId }) => {
    if (!canEdit) return false;
    choose(sectionId);
    setOpened({ what: 'section', path, sectionId });
    return true;
  });
  useDeskRequest('page-settings', () => {
    if (canEdit) setOpened({ what: 'settings', path });
    return canEdit;
  });
  useDeskRequest('add-section', ({ index }) => {
    if (canEdit) adding.open({ path, index });
    return canEdit;
  });
  useDeskRequest('new-page', () => {
    if (mayDraft) making.open();
    return mayDraft;
  });

  const close = () => setOpened(null);
  const shown = canEdit && opened?.path === path ? opened : null;
  return (
    <>
      {shown?.what === 'section' && <SectionPanel path={path} sectionId={shown.sectionId} onClose={close} />}
      {shown?.what === 'settings' && (
        <PageSettings
          path={path}
          onMoved={(moved) => {
            setOpened({ what: 'settings', path: moved });
            onGo(moved);
          }}
          onClose={close}
        />
      )}
      {adding.opened?.target.path === path && (
        <AddSection
          {...adding.opened.target}
          onAdded={(sectionId) => {
            choose(sectionId);
            setOpened({ what: 'section', path, sectionId });
          }}
          onClose={adding.close}
        />
      )}
      {making.opened && (
        <NewPage onMade={({ type, draft }) => onGo(entryPath({ type, slug: draft.slug }, ''))} onClose={making.close} />
      )}
    </>
  );
}

interface OutlineButtonProps {
  /** Path of the page that is shown. */
  readonly path: string;
  /** Sections are chosen by a click; else the page is as it is for visitors. */
  readonly isPointing: boolean;
  readonly onPointing: (isPointing: boolean) => void;
}

/** Button that opens the outline of the page at a path. */
export function OutlineButton(page: OutlineButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const label = strings.page.outline;
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      fetch={Outline.fetch}
      trigger={<IconButton label={label} icon={<ListTree aria-hidden />} aria-pressed={isOpen} />}
      aria-label={label}
      align="end"
      onOpenAutoFocus={(event) => {
        event.preventDefault();
        (event.currentTarget as HTMLElement).querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus();
      }}
      className="flex max-h-(--radix-popover-content-available-height) w-84 max-w-[calc(100vw-1rem)] flex-col"
    >
      <Outline {...page} onClose={() => setIsOpen(false)} />
    </Popover>
  );
}

/** Answers the requests for undo and redo; says what is in the way of one. */
export function UndoRedo({ sessionId }: { readonly sessionId: string | null }) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const step = async (way: 'undoLast' | 'redoLast') => {
    const steps = await import('#components/editor/undo-redo').catch(() => null);
    if (steps === null) return toast.error(strings.common.notFetched);
    try {
      setConflict(await steps[way](sessionId));
    } catch (error) {
      reportFailure(error);
    }
  };
  useDeskRequest('undo', () => {
    void step('undoLast');
    return true;
  });
  useDeskRequest('redo', () => {
    void step('redoLast');
    return true;
  });
  return conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />;
}
