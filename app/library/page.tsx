import { redirect } from 'next/navigation';
import { LIBRARY_CHANGES_PATH } from '#components/desk/navigation';
import { requirePage } from '#server/http/page-access';

/** What changed is what the library is opened for most. */
export default async function LibraryPage() {
  await requirePage('content:read');
  redirect(LIBRARY_CHANGES_PATH);
}
