import type { Metadata } from 'next';
import { TrashScreen } from '#components/library/trash-screen';
import { libraryStrings } from '#components/library/words';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: libraryStrings.trash.title });

export default async function TrashPage() {
  await requirePage('content:read');
  return <TrashScreen />;
}
