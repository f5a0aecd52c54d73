import { useEffect } from 'react';
import { noteSections } from '#components/editor/chosen';
import { usePageEditor } from '#components/editor/page-editor';

/** Makes the sections of the page at a path choosable while it is open; null: none is. */
export function useOpenPage(path: string | null): void {
  const { entry, document } = usePageEditor(path).state;
  const entryId = entry?.id;
  const sections = document?.sections;
  useEffect(() => {
    noteSections(path !== null && entryId !== undefined && sections ? { path, entryId, sections } : null);
  }, [path, entryId, sections]);
  useEffect(() => () => noteSections(null), []);
}
