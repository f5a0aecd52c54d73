import type { Metadata } from 'next';
import { TrashScreen } from '#components/library/trash/trash-screen';
import { libraryStrings } from '#lib/strings/library';
import { requirePage } from '#server/http/require-page';

export const metadata: Metadata = { title: libraryStrings.trash.title };

/** What was deleted, to bring back. */
export default async function TrashPage() {
  await requirePage('content:read');
  return <TrashScreen />;
}
