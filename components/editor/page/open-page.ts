import { useEffect } from 'react';
import { usePageEditor } from '#components/editor/model/page-editor.ts';
import { setOpenPage } from '#components/editor/model/selection.ts';

/** Makes the sections of the page at a path choosable while mounted; null: no page. */
export function useOpenPage(path: string | null): void {
  const { entry, document } = usePageEditor(path).state;
  const entryId = entry?.id;
  const sections = document?.sections;
  useEffect(() => {
    setOpenPage(path !== null && entryId !== undefined && sections ? { path, entryId, sections } : null);
  }, [path, entryId, sections]);
  useEffect(() => () => setOpenPage(null), []);
}

/** Component that only calls `useOpenPage`, for screens that have a page only sometimes. Renders nothing. */
export function OpenPage({ path }: { readonly path: string }) {
  useOpenPage(path);
  return null;
}
