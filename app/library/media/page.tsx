import type { Metadata } from 'next';
import { Suspense } from 'react';
import { MediaScreen } from '#components/library/media-screen';
import { libraryStrings } from '#components/library/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: libraryStrings.media.title });

/** The pictures of the site. */
export default async function MediaLibraryPage() {
  await requirePage('content:read');
  return (
    <Suspense>
      <MediaScreen />
    </Suspense>
  );
}
