import type { Metadata } from 'next';
import { PagesScreen } from '#components/pages/pages-screen';
import { pagesStrings } from '#components/pages/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: pagesStrings.title });

/** The pages and posts of the site. */
export default async function PagesPage() {
  await requirePage('content:read');
  return <PagesScreen />;
}
