import type { Metadata } from 'next';
import { AuditScreen } from '#components/admin/audit-screen';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';

const t = translator('audit');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** The audit log. */
export default async function AdminAuditPage() {
  await requirePage('admin');
  return <AuditScreen />;
}
