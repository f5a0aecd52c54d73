import type { Metadata } from 'next';
import { Suspense } from 'react';
import { ChangesPage } from '#components/library/changes-page';
import { changesStrings } from '#components/changes/words';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: changesStrings.title });

/** The journal of the whole site. */
export default async function ChangesLibraryPage() {
  await requirePage('content:read');
  // What is shown is in the address, which a page made in advance does not know.
  return (
    <Suspense>
      <ChangesPage />
    </Suspense>
  );
}
