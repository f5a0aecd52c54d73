import type { Metadata } from 'next';
import { translator } from '#components/i18n.ts';
import { PagesScreen } from '#components/pages/pages-screen';
import { requirePage } from '#server/http/page-access';

const t = translator('pages');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** The pages and posts of the site. */
export default async function PagesPage() {
  await requirePage('content:read');
  return <PagesScreen />;
}
