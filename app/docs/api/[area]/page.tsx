import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { translator } from '#components/i18n.ts';
import { Operation } from '#components/docs/operation';
import { PageTitle } from '#components/ui/page-parts';
import { requestOrigin } from '#server/http/request-origin';
import { apiDocument } from '#app/api-document';
import { referenceAreas, responsesOf } from '#app/api-reference';

const t = translator('shared');

interface AreaPageProps {
  readonly params: Promise<{ readonly area: string }>;
}

/** The area at an address; undefined if there is none. */
const areaOf = async (params: AreaPageProps['params']) => {
  const { area } = await params;
  return referenceAreas(await apiDocument()).find(({ slug }) => slug === area);
};

export async function generateMetadata({ params }: AreaPageProps): Promise<Metadata> {
  return { title: (await areaOf(params))?.name ?? t('notFound.title') };
}

/** All operations of one area. */
export default async function AreaPage({ params }: AreaPageProps) {
  const area = await areaOf(params);
  if (!area) notFound();
  const document = await apiDocument();
  const origin = requestOrigin(await headers()) ?? '';
  return (
    <>
      <PageTitle title={area.name} intro={area.description} />
      <div className="mt-8">
        {area.operations.map(({ method, path, operation }) => (
          <Operation
            key={operation.operationId}
            method={method}
            path={path}
            operation={operation}
            origin={origin}
            responses={responsesOf(document, operation)}
          />
        ))}
      </div>
    </>
  );
}
