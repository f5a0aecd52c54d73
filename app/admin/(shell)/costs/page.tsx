import type { Metadata } from 'next';
import { CostsPage } from '#components/costs/costs-page';
import { costStrings } from '#components/costs/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: costStrings.title });

/** Page of model costs and savings. */
export default async function AdminCostsPage() {
  await requirePage('admin');
  return <CostsPage />;
}
