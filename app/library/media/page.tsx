import type { Metadata } from 'next';
import { Suspense } from 'react';
import { MediaScreen } from '#components/library/media-screen';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';

const t = translator('library.media');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** The pictures of the site. */
export default async function MediaLibraryPage() {
  await requirePage('content:read');
  return (
    <Suspense>
      <MediaScreen />
    </Suspense>
  );
}
