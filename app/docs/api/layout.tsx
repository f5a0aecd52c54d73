import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { DOCS_PATH, SHAPES_PATH } from '#components/workspace/navigation.ts';
import { ReferenceNav } from '#components/docs/reference-nav';
import { docsStrings } from '#components/docs/words.ts';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { apiDocument } from '#app/api-document';
import { referenceAreas } from '#app/api-reference';
import '../../globals.css';

export const generateMetadata = (): Metadata => ({ title: docsStrings.title, robots: { index: false } });

/** The API reference, public. */
export default async function ReferenceLayout({ children }: { readonly children: ReactNode }) {
  const areas = referenceAreas(await apiDocument());
  const pages = [
    { href: DOCS_PATH, name: docsStrings.title },
    ...areas.map(({ slug, name }) => ({ href: `${DOCS_PATH}/${slug}`, name })),
    { href: SHAPES_PATH, name: docsStrings.shapes.title },
  ];
  const operations = areas.flatMap(({ slug, operations: ofArea }) =>
    ofArea.map(({ method, path, operation: { operationId, summary } }) => ({
      href: `${DOCS_PATH}/${slug}#${operationId}`,
      method,
      path,
      summary,
    })),
  );
  const { nav, home, skip, back } = docsStrings.shell;
  return (
    <AppProviders>
      <PageShell items={[{ href: DOCS_PATH, label: docsStrings.title }]} text={{ nav, home, skip, back }} isPublic>
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[15rem_minmax(0,1fr)]">
          <ReferenceNav pages={pages} operations={operations} />
          <div className="min-w-0">{children}</div>
        </div>
      </PageShell>
    </AppProviders>
  );
}
