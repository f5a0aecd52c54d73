import { redirect } from 'next/navigation';
import { LIBRARY_PAGES_PATH } from '#components/desk/navigation';
import { requirePage } from '#server/http/page-access';

/** Opens at the pages and posts, of which all else is a part. */
export default async function LibraryPage() {
  await requirePage('content:read');
  redirect(LIBRARY_PAGES_PATH);
}
