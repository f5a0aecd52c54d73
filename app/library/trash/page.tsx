import type { Metadata } from 'next';
import { TrashScreen } from '#components/library/trash-screen';
import { libraryStrings } from '#components/library/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: libraryStrings.trash.title });

/** Deleted pages, posts and pictures. */
export default async function TrashPage() {
  await requirePage('content:read');
  return <TrashScreen />;
}
