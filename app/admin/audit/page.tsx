import type { Metadata } from 'next';
import { AuditPage } from '#components/admin/audit/audit-page';
import { auditStrings } from '#lib/strings/audit';
import { requirePage } from '#server/http/require-page';

export const metadata: Metadata = { title: auditStrings.title };

/** Who did what, when, and from where. */
export default async function AdminAuditPage() {
  await requirePage('admin');
  return <AuditPage />;
}
