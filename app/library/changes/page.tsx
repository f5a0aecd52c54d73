import type { Metadata } from 'next';
import { Suspense } from 'react';
import { translator } from '#components/i18n.ts';
import { ChangesPage } from '#components/library/changes-page';
import { requirePage } from '#server/http/page-access';

const t = translator('changes');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** The journal of the whole site. */
export default async function ChangesLibraryPage() {
  await requirePage('content:read');
  // The address determines what is shown, and a prerendered page does not know it.
  return (
    <Suspense>
      <ChangesPage />
    </Suspense>
  );
}
