import type { Metadata } from 'next';
import { CostsPage } from '#components/costs/costs-page';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';

const t = translator('costs');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** Page of model costs and savings. */
export default async function AdminCostsPage() {
  await requirePage('admin');
  return <CostsPage />;
}
