import { redirect } from 'next/navigation';
import { LIBRARY_PAGES_PATH } from '#components/workspace/navigation.ts';
import { requirePage } from '#server/http/page-access';

/** Shows the pages and posts, which everything else in the library belongs to. */
export default async function LibraryPage() {
  await requirePage('content:read');
  redirect(LIBRARY_PAGES_PATH);
}
