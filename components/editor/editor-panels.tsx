import { useState } from 'react';
import { useMayDraft } from '#components/access/access-client';
import { useDeskRequest } from '#components/desk/desk-requests';
import { entryPath } from '#components/desk/preview-path';
import { choose } from '#components/editor/chosen';
import { fetchedLater } from '#components/ui/fetched-later';

const SectionPanel = fetchedLater(async () => (await import('#components/editor/section-panel')).SectionPanel);
const PageSettings = fetchedLater(async () => (await import('#components/editor/page-settings')).PageSettings);
const AddSection = fetchedLater(async () => (await import('#components/editor/add-section')).AddSection);
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
  const [adding, setAdding] = useState<{ readonly path: string; readonly index: number } | null>(null);
  const [isNew, setIsNew] = useState(false);
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
    if (canEdit) setAdding({ path, index });
    return canEdit;
  });
  useDeskRequest('new-page', () => {
    if (mayDraft) setIsNew(true);
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
      {adding?.path === path && (
        <AddSection
          {...adding}
          onAdded={(sectionId) => {
            choose(sectionId);
            setOpened({ what: 'section', path, sectionId });
          }}
          onClose={() => setAdding(null)}
        />
      )}
      {isNew && (
        <NewPage
          onMade={({ type, draft }) => onGo(entryPath({ type, slug: draft.slug }, ''))}
          onClose={() => setIsNew(false)}
        />
      )}
    </>
  );
}
