import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { type SiteDocumentEditor, useSiteDocument } from '#components/site/use-site-document.ts';
import { changedParts, type Design, type DesignState } from '#server/core/site/design/design';

const t = translator('design');

/** The parts of a design that differ from `base`. */
function changesOf(design: Design, base: Design): Partial<Design> {
  return Object.fromEntries(changedParts(base, design).map((name) => [name, design[name]]));
}

/** Edits the draft of the design; see useSiteDocument. */
export function useDesign(): SiteDocumentEditor<Design> {
  return useSiteDocument<Design, DesignState>({
    address: paths.design,
    read: ({ draft }) => draft,
    write: (design, base, ifRevision) =>
      api.request('PATCH', '/api/content/design', { query: { ifRevision }, body: changesOf(design, base) }),
    rebase: (draft, before, stored) => ({ ...stored, ...changesOf(draft, before) }),
    saved: t('saved'),
  });
}
