import type { Metadata } from 'next';
import { ImportScreen } from '#components/library/import-screen';
import { libraryStrings } from '#components/library/words';
import { requirePage } from '#server/http/page-access';
import { services } from '#server/services';

export const metadata: Metadata = { title: libraryStrings.imports.title };

/** Brings another site in, and takes this one out. */
export default async function ImportPage() {
  await requirePage('content:write');
  const { env } = await services();
  return <ImportScreen siteUrl={env.SITE_URL ?? null} />;
}
