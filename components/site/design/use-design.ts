import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { type SiteDocumentEditor, useSiteDocument } from '#components/site/use-site-document.ts';
import { type Design, designParts, type DesignState } from '#server/core/site/design/design';

const t = translator('design');

/** The parts in which a design differs from `base`. */
export function changedParts(design: Design, base: Design): Partial<Design> {
  const changed = designParts.filter((name) => JSON.stringify(design[name]) !== JSON.stringify(base[name]));
  return Object.fromEntries(changed.map((name) => [name, design[name]]));
}

/** Edits the draft of the design; see useSiteDocument. */
export function useDesign(): SiteDocumentEditor<Design> {
  return useSiteDocument<Design, DesignState>({
    address: paths.design,
    read: ({ draft }) => draft,
    write: (design, base, ifRevision) =>
      api.request('PATCH', '/api/content/design', { query: { ifRevision }, body: changedParts(design, base) }),
    rebase: (draft, before, stored) => ({ ...stored, ...changedParts(draft, before) }),
    saved: t('saved'),
  });
}
