import type { Metadata } from 'next';
import { SchemaFields } from '#components/docs/schema-fields';
import { docsStrings } from '#components/docs/words';
import { PageTitle } from '#components/ui/page-parts';
import { apiDocument } from '#server/http/api-reference';

export const metadata: Metadata = { title: docsStrings.shapes.title };

/** Schemas that have a name in the OpenAPI document. */
export default function ShapesPage() {
  return (
    <>
      <PageTitle title={docsStrings.shapes.title} intro={docsStrings.shapes.intro} />
      <div className="mt-8 space-y-10">
        {Object.entries(apiDocument.components.schemas).map(([name, schema]) => (
          <section key={name} id={name} aria-labelledby={`${name}-title`} className="scroll-mt-16">
            <h2 id={`${name}-title`} className="mb-2 font-mono text-base font-medium">
              {name}
            </h2>
            <SchemaFields schema={schema} />
          </section>
        ))}
      </div>
    </>
  );
}
