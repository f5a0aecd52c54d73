import type { Metadata } from 'next';
import { Suspense } from 'react';
import { ChangesPage } from '#components/library/changes-page';
import { libraryStrings } from '#components/library/words';
import { requirePage } from '#server/http/page-access';

export const metadata: Metadata = { title: libraryStrings.changes.title };

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
