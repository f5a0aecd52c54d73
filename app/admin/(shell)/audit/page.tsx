import type { Metadata } from 'next';
import { AuditScreen } from '#components/admin/audit-screen';
import { auditStrings } from '#components/admin/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: auditStrings.title });

/** The audit log. */
export default async function AdminAuditPage() {
  await requirePage('admin');
  return <AuditScreen />;
}
