import type { Metadata } from 'next';
import { ImportScreen } from '#components/library/import/import-screen';
import { libraryStrings } from '#lib/strings/library';
import { requirePage } from '#server/http/require-page';

export const metadata: Metadata = { title: libraryStrings.imports.title };

/** Brings another site in, and takes this one out. */
export default async function ImportPage() {
  await requirePage('content:write');
  return <ImportScreen />;
}
