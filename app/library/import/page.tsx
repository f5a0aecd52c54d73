import type { Metadata } from 'next';
import { ImportScreen } from '#components/library/import-screen';
import { importStrings } from '#components/library/words.ts';
import { requirePage } from '#server/http/page-access';
import { services } from '#server/services';

export const generateMetadata = (): Metadata => ({ title: importStrings.title });

/** Imports another site and exports this one. */
export default async function ImportPage() {
  await requirePage('content:write');
  const { env } = await services();
  return <ImportScreen siteUrl={env.SITE_URL ?? null} />;
}
