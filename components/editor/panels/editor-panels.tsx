import { useState } from 'react';
import { useMayDraft } from '#components/access/access-client.ts';
import { entryPath } from '#components/workspace/preview-path.ts';
import { choose } from '#components/editor/model/selection.ts';
import dynamic from 'next/dynamic';
import { loadCode } from '#components/ui/load-code';
import { type OpenedDialog, useOpened } from '#components/ui/hooks.ts';
import type { PanelActions } from '#components/editor/actions/panel-actions.ts';

const SectionPanel = dynamic(
  () => loadCode(async () => (await import('#components/editor/panels/section-panel')).SectionPanel),
  { ssr: false },
);
const PageSettings = dynamic(
  () => loadCode(async () => (await import('#components/editor/panels/page-settings')).PageSettings),
  { ssr: false },
);
const AddSection = dynamic(
  () => loadCode(async () => (await import('#components/editor/panels/add-section')).AddSection),
  { ssr: false },
);
const NewPage = dynamic(() => loadCode(async () => (await import('#components/editor/panels/new-page')).NewPage), {
  ssr: false,
});

/** The open panel, and the path of its page: a panel is closed when another page is displayed. */
type Opened =
  | { readonly what: 'section'; readonly path: string; readonly sectionId: string }
  | { readonly what: 'settings'; readonly path: string };

/** The panels of a page, as `usePanels` returns them. */
interface Panels {
  readonly opened: Opened | null;
  readonly setOpened: (opened: Opened | null) => void;
  readonly newSection: OpenedDialog<{ readonly path: string; readonly index: number }>;
  readonly newPage: OpenedDialog<void>;
  /** True if the displayed page can be edited. */
  readonly canEdit: boolean;
  readonly actions: PanelActions;
}

/**
 * State of the panels of the displayed page.
 * @param path of the page
 * @param isDraft true if the draft is displayed; only drafts can be edited
 */
export function usePanels(path: string, isDraft: boolean): Panels {
  const [opened, setOpened] = useState<Opened | null>(null);
  const newSection = useOpened<{ readonly path: string; readonly index: number }>();
  const newPage = useOpened();
  const [isFinding, setFinding] = useState(false);
  const mayDraft = useMayDraft();
  const canEdit = isDraft && mayDraft;
  const actions: PanelActions = {
    editSection: (sectionId) => {
      if (!canEdit) return;
      choose(sectionId);
      setOpened({ what: 'section', path, sectionId });
    },
    openSettings: () => {
      if (canEdit) setOpened({ what: 'settings', path });
    },
    addSection: (index) => {
      if (canEdit) newSection.open({ path, index });
    },
    newPage: () => {
      if (mayDraft) newPage.open();
    },
    isFinding: isFinding && isDraft,
    setFinding,
  };
  return { opened, setOpened, newSection, newPage, canEdit, actions };
}

interface EditorPanelsProps {
  readonly panels: Panels;
  /** Path of the displayed page. */
  readonly path: string;
  /** Shows another page. */
  readonly onGo: (path: string) => void;
}

/** Panels and dialogs for editing the displayed page: the fields of a section, the settings, a new section, a new page. */
export function EditorPanels({ panels, path, onGo }: EditorPanelsProps) {
  const { opened, setOpened, newSection, newPage, canEdit } = panels;
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
      {newSection.opened?.target.path === path && (
        <AddSection
          {...newSection.opened.target}
          onAdded={(sectionId) => {
            choose(sectionId);
            setOpened({ what: 'section', path, sectionId });
          }}
          onClose={newSection.close}
        />
      )}
      {newPage.opened && (
        <NewPage
          onMade={({ type, draft }) => onGo(entryPath({ type, slug: draft.slug }, ''))}
          onClose={newPage.close}
        />
      )}
    </>
  );
}
