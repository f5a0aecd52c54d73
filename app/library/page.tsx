import { redirect } from 'next/navigation';
import { LIBRARY_CHANGES_PATH } from '#components/desk/navigation';
import { requirePage } from '#server/http/page-access';

/** Opens at the changes, the most used part of the library. */
export default async function LibraryPage() {
  await requirePage('content:read');
  redirect(LIBRARY_CHANGES_PATH);
}
