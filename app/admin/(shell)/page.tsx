import { Suspense } from 'react';
import { SessionsPage } from '#components/admin/sessions-page';
import { requirePage } from '#server/http/page-access';

/** All sessions and how full their contexts are. */
export default async function AdminPage() {
  await requirePage('admin');
  // The address determines what is shown, and a prerendered page does not know it.
  return (
    <Suspense>
      <SessionsPage />
    </Suspense>
  );
}
