import { useState } from 'react';
import { useMayDraft } from '#components/access/access-client.ts';
import { useWorkspaceCommand } from '#components/workspace/workspace-commands.ts';
import { entryPath } from '#components/workspace/preview-path.ts';
import { choose } from '#components/editor/model/selection.ts';
import dynamic from 'next/dynamic';
import { loadCode } from '#components/ui/load-code';
import { useOpened } from '#components/ui/hooks.ts';

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

interface EditorPanelsProps {
  /** Path of the displayed page. */
  readonly path: string;
  /** True if the draft is displayed; only drafts can be edited. */
  readonly isDraft: boolean;
  /** Shows another page. */
  readonly onGo: (path: string) => void;
}

/**
 * Panels and dialogs for editing the displayed page, opened by workspace commands: the fields of a section, the page
 * settings, a new section, a new page.
 */
export function EditorPanels({ path, isDraft, onGo }: EditorPanelsProps) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const newSection = useOpened<{ readonly path: string; readonly index: number }>();
  const newPage = useOpened();
  const mayDraft = useMayDraft();
  const canEdit = isDraft && mayDraft;

  useWorkspaceCommand('edit-section', ({ sectionId }) => {
    if (!canEdit) return false;
    choose(sectionId);
    setOpened({ what: 'section', path, sectionId });
    return true;
  });
  useWorkspaceCommand('page-settings', () => {
    if (canEdit) setOpened({ what: 'settings', path });
    return canEdit;
  });
  useWorkspaceCommand('add-section', ({ index }) => {
    if (canEdit) newSection.open({ path, index });
    return canEdit;
  });
  useWorkspaceCommand('new-page', () => {
    if (mayDraft) newPage.open();
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
