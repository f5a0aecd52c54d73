import { redirect } from 'next/navigation';
import { LIBRARY_CHANGES_PATH } from '#lib/desk/navigation';
import { requirePage } from '#server/http/require-page';

/** What changed is what the library is opened for most. */
export default async function LibraryPage() {
  await requirePage('content:read');
  redirect(LIBRARY_CHANGES_PATH);
}
