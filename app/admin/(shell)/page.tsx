import { Suspense } from 'react';
import { SessionsPage } from '#components/admin/sessions-page';
import { requirePage } from '#server/http/page-access';

/** All sessions and how full their contexts are. */
export default async function AdminPage() {
  await requirePage('admin');
  // What is shown is in the address, which a page made in advance does not know.
  return (
    <Suspense>
      <SessionsPage />
    </Suspense>
  );
}
