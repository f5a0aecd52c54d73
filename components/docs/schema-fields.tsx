import { ChevronRight } from 'lucide-react';
import Link from 'next/link';
import type { ApiSchema } from '#server/core/api-document';
import { RichText } from '#components/docs/rich-text';
import { limitsOf, namesIn, shapesOf, typeName } from '#lib/docs/schema-type';
import { SHAPES_PATH } from '#lib/desk/navigation';
import { docsStrings } from '#lib/strings/docs';

/** What a schema consists of: its fields, or each of the shapes it may have. What has a name is described elsewhere. */
export function SchemaFields({ schema }: { readonly schema: ApiSchema }) {
  const shapes = shapesOf(schema);
  if (shapes.length === 0) return <TypeLine schema={schema} />;
  return (
    <div className="space-y-3">
      {shapes.length > 1 && <p className="text-sm text-ink-2">{docsStrings.variants}</p>}
      {shapes.map((shape, index) => (
        <Fields key={index} schema={shape} />
      ))}
      {shapes.length > 1 && namesIn(schema).length > 0 && <TypeLine schema={schema} />}
    </div>
  );
}

function Fields({ schema: { properties = {}, required = [] } }: { readonly schema: ApiSchema }) {
  return (
    <ul className="divide-y divide-rule rounded-md border border-rule bg-sheet">
      {Object.entries(properties).map(([name, field]) => (
        <li key={name} className="px-3 py-2">
          <Field name={name} schema={field} isRequired={required.includes(name)} />
        </li>
      ))}
    </ul>
  );
}

interface FieldProps {
  readonly name: string;
  readonly schema: ApiSchema;
  readonly isRequired: boolean;
}

/** One field, with what is in it to be opened. */
export function Field({ name, schema, isRequired }: FieldProps) {
  const isNested = shapesOf(schema).length > 0;
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-2.5 text-sm">
        <code className="font-mono font-medium break-all">{name}</code>
        <TypeLine schema={schema} />
        {!isRequired && <span className="text-xs text-ink-3">{docsStrings.optional}</span>}
      </div>
      {schema.description !== undefined && (
        <p className="text-sm text-ink-2">
          <RichText text={schema.description} />
        </p>
      )}
      {isNested && (
        <details className="group mt-1">
          <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-sm text-xs text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight aria-hidden className="size-3.5 transition-transform group-open:rotate-90" />
            {docsStrings.fieldsOf(name)}
          </summary>
          <div className="mt-2">
            <SchemaFields schema={schema} />
          </div>
        </details>
      )}
    </>
  );
}

/** What a value is; what has a name leads to its description. */
function TypeLine({ schema }: { readonly schema: ApiSchema }) {
  const names = namesIn(schema);
  const notes = [limitsOf(schema), defaultOf(schema)].filter((note) => note !== '').join(', ');
  return (
    <span className="min-w-0 text-sm text-ink-2">
      <span className="font-mono text-xs break-words">
        {typeName(schema)
          .split(/\b/)
          .map((word, index) =>
            names.includes(word) ? (
              <Link key={index} href={`${SHAPES_PATH}#${word}`} className="text-accent underline underline-offset-2">
                {word}
              </Link>
            ) : (
              word
            ),
          )}
      </span>
      {notes !== '' && <span className="ml-2 text-xs text-ink-3">{notes}</span>}
    </span>
  );
}

function defaultOf({ default: value }: ApiSchema): string {
  return value === undefined || typeof value === 'object' ? '' : docsStrings.defaultIs(JSON.stringify(value));
}
