import Link from 'next/link';
import { translator } from '#components/i18n.ts';
import { SHAPES_PATH } from '#components/workspace/navigation.ts';
import { Disclosure } from '#components/ui/controls/disclosure';
import type { ApiSchema } from '#server/core/api-document';
import { limitsOf, namesIn, shapesOf, typeName } from '#components/docs/schema-types.ts';

const t = translator('docs');

/** Fields of a schema, or each of its variants. Named schemas are described on their own page. */
export function SchemaFields({ schema }: { readonly schema: ApiSchema }) {
  const shapes = shapesOf(schema);
  if (shapes.length === 0) return <TypeLine schema={schema} />;
  return (
    <div className="space-y-3">
      {shapes.length > 1 && <p className="text-sm text-ink-2">{t('variants')}</p>}
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

/** One field, with unfoldable content. */
export function Field({ name, schema, isRequired }: FieldProps) {
  const isNested = shapesOf(schema).length > 0;
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-2.5 text-sm">
        <code className="font-mono font-medium break-all">{name}</code>
        <TypeLine schema={schema} />
        {!isRequired && <span className="text-xs text-ink-3">{t('optional')}</span>}
      </div>
      {schema.description !== undefined && (
        <p className="text-sm text-ink-2">
          <RichText text={schema.description} />
        </p>
      )}
      {isNested && (
        <div className="mt-1 text-xs">
          <Disclosure title={t('fieldsOf', { name })} look="quiet">
            <div className="mt-2">
              <SchemaFields schema={schema} />
            </div>
          </Disclosure>
        </div>
      )}
    </>
  );
}

/** Type of a value; a named schema links to its description. */
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
  return value === undefined || typeof value === 'object' ? '' : t('defaultIs', { value: JSON.stringify(value) });
}

/** Text of the reference, which is in English, with inline `code`. */
export function RichText({ text }: { readonly text: string }) {
  return (
    <span lang="en">
      {text.split('`').map((piece, index) =>
        index % 2 === 0 ? (
          piece
        ) : (
          <code key={index} className="rounded-sm bg-ink/6 px-1 font-mono text-[0.92em] break-words">
            {piece}
          </code>
        ),
      )}
    </span>
  );
}
