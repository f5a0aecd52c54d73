import type { Metadata } from 'next';
import { translator } from '#components/i18n.ts';
import { RichText, SchemaFields } from '#components/docs/schema-fields';
import { PageTitle } from '#components/ui/page-parts';
import { apiDocument } from '#app/api-document';

const t = translator('docs');

export const generateMetadata = (): Metadata => ({ title: t('shapes.title') });

/** Schemas that have a name in the OpenAPI document. */
export default async function ShapesPage() {
  const { components } = await apiDocument();
  return (
    <>
      <PageTitle title={t('shapes.title')} intro={t('shapes.intro')} />
      <div className="mt-8 space-y-10">
        {Object.entries(components.schemas).map(([name, schema]) => (
          <section key={name} id={name} aria-labelledby={`${name}-title`} className="scroll-mt-16">
            <h2 id={`${name}-title`} className="mb-2 font-mono text-base font-medium">
              {name}
            </h2>
            {schema.description !== undefined && (
              <p className="mb-2 text-sm text-ink-2">
                <RichText text={schema.description} />
              </p>
            )}
            <SchemaFields schema={schema} />
          </section>
        ))}
      </div>
    </>
  );
}
