import type { Metadata } from 'next';
import { Suspense } from 'react';
import { ChangesPage } from '#components/library/changes-page';
import { changesStrings } from '#components/changes/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: changesStrings.title });

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
