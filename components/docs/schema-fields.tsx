import Link from 'next/link';
import { SHAPES_PATH } from '#components/desk/navigation';
import { docsStrings } from '#components/docs/words';
import { Disclosure } from '#components/ui/buttons';
import type { ApiSchema } from '#server/core/api-document';

/** Fields of a schema, or each of its variants. Named schemas are described on their own page. */
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

/** One field, whose content unfolds. */
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
        <div className="mt-1 text-xs">
          <Disclosure title={docsStrings.fieldsOf(name)} look="quiet">
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
  return value === undefined || typeof value === 'object' ? '' : docsStrings.defaultIs(JSON.stringify(value));
}

/** Sentences of the reference, which is in English, with `code` in them. */
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

/** The name that a `$ref` leads to. */
function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Null and what else it may be, apart. */
function alternatives(schema: ApiSchema): {
  readonly others: readonly ApiSchema[];
  readonly isNullable: boolean;
} {
  const all = schema.anyOf ?? schema.oneOf ?? [schema];
  const others = all.filter(({ type }) => type !== 'null');
  return { others, isNullable: others.length < all.length };
}

/** Short name of a type: `integer`, `"draft" | "published"`, `list of Session`. */
export function typeName(schema: ApiSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf ?? schema.oneOf) {
    const { others, isNullable } = alternatives(schema);
    const names = [...new Set(others.map(typeName))];
    return [...names, ...(isNullable ? ['null'] : [])].join(' | ');
  }
  if (schema.allOf) return schema.allOf.map(typeName).join(' & ');
  if (schema.type === 'array') return schema.items ? `list of ${typeName(schema.items)}` : 'list';
  if (schema.type === 'object' && !schema.properties && typeof schema.additionalProperties === 'object') {
    return `object of ${typeName(schema.additionalProperties)}`;
  }
  return [schema.type ?? 'any'].flat().join(' | ');
}

/** Size limits of a value: `1 to 200 characters`; empty: none. */
export function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: ApiSchema): string {
  return [range(minimum, maximum, ''), range(minLength, maxLength, 'characters'), range(minItems, maxItems, 'items')]
    .filter((text) => text !== '')
    .join(', ');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const number = (value: number) => value.toLocaleString('en-US');
  const words = unit === '' ? '' : ` ${unit}`;
  if (to !== undefined)
    return from === undefined || from === 0
      ? `at most ${number(to)}${words}`
      : `${number(from)} to ${number(to)}${words}`;
  // That an id or a count is not negative goes without saying.
  return from === undefined || (from <= 1 && unit !== '') || from === 0 ? '' : `at least ${number(from)}${words}`;
}

/** Schemas shown below a schema's line: fields or variants; [] for a named schema. */
export function shapesOf(schema: ApiSchema): readonly ApiSchema[] {
  if (schema.$ref !== undefined) return [];
  if (schema.type === 'array') return schema.items ? shapesOf(schema.items) : [];
  if (schema.properties) return [schema];
  if (schema.anyOf ?? schema.oneOf) return alternatives(schema).others.flatMap(shapesOf);
  if (typeof schema.additionalProperties === 'object') return shapesOf(schema.additionalProperties);
  return [];
}

/** The names that its own line mentions. */
export function namesIn(schema: ApiSchema): readonly string[] {
  if (schema.$ref !== undefined) return [nameOf(schema.$ref)];
  const inner = [
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return [...new Set(inner.flatMap(namesIn))];
}
