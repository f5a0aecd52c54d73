import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import { DOCS_PATH, SHAPES_PATH } from '#components/workspace/navigation.ts';
import { ReferenceNav } from '#components/docs/reference-nav';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { apiDocument } from '#app/api-document';
import { referenceAreas } from '#app/api-reference';
import '../../globals.css';

const t = translator('docs');

export const generateMetadata = (): Metadata => ({ title: t('title'), robots: { index: false } });

/** The API reference, public. */
export default async function ReferenceLayout({ children }: { readonly children: ReactNode }) {
  const areas = referenceAreas(await apiDocument());
  const pages = [
    { href: DOCS_PATH, name: t('title') },
    ...areas.map(({ slug, name }) => ({ href: `${DOCS_PATH}/${slug}`, name })),
    { href: SHAPES_PATH, name: t('shapes.title') },
  ];
  const operations = areas.flatMap(({ slug, operations: ofArea }) =>
    ofArea.map(({ method, path, operation: { operationId, summary } }) => ({
      href: `${DOCS_PATH}/${slug}#${operationId}`,
      method,
      path,
      summary,
    })),
  );
  return (
    <AppProviders>
      <PageShell
        items={[{ href: DOCS_PATH, label: t('title') }]}
        text={{ nav: t('shell.nav'), home: t('shell.home'), skip: t('shell.skip'), back: t('shell.back') }}
        isPublic
      >
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[15rem_minmax(0,1fr)]">
          <ReferenceNav pages={pages} operations={operations} />
          <div className="min-w-0">{children}</div>
        </div>
      </PageShell>
    </AppProviders>
  );
}
