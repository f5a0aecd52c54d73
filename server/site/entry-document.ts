import { serverText } from '#server/core/messages/server-text';
import type { z } from 'zod';
import { checkInput } from '#server/site/check-input';
import type { NewEntry } from '#server/site/content-backend';
import { newSectionFields } from '#server/site/section-types';
import { slugFromTitle } from '#server/site/text/slug-from-title';
import type { EntryDocument, Section, Seo } from '#server/core/site/content';
import { type DocumentField, documentFieldSchemas } from '#server/core/site/document-fields';
import { InvalidInputError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import { checkEntryMarkup } from '#server/markup/entry-markup-limit';
import type { JsonValue } from '#server/core/json';

/* The draft of an entry: its fields checked, and in a form in which equal documents are equal as JSON. */

/** Largest number of sections in one entry. */
export const MAX_SECTIONS = 60;

/**
 * A value for one field of an entry, checked and normalized.
 * @throws InvalidInputError naming the field.
 */
export function checkDocumentField<Field extends DocumentField>(
  field: Field,
  value: unknown,
): NonNullable<EntryDocument[Field]> {
  const schema: z.ZodType = documentFieldSchemas[field];
  return checkInput(schema, value, `The ${field}`, undefined, field) as NonNullable<EntryDocument[Field]>;
}

/** A field of a document as JSON. */
export function documentField(document: EntryDocument, field: DocumentField): JsonValue | undefined {
  return document[field] as JsonValue | undefined;
}

/** Search engine data without empty values, in a fixed order; undefined if all are empty. */
function canonicalSeo({ title, description, image, noIndex }: Seo): Seo | undefined {
  const seo = {
    ...(title !== undefined && title !== '' && { title }),
    ...(description !== undefined && description !== '' && { description }),
    ...(image !== undefined && image !== '' && { image }),
    ...(noIndex === true && { noIndex }),
  };
  return Object.keys(seo).length === 0 ? undefined : seo;
}

/** A record ordered by its names, without empty values; undefined if none is left. */
function withoutEmpty<T>(
  record: Readonly<Record<string, T>> | undefined,
  isPresent: (value: T) => boolean,
): Record<string, T> | undefined {
  const kept = Object.entries(record ?? {}).filter(([, value]) => isPresent(value));
  if (kept.length === 0) return undefined;
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Puts a document's keys in a fixed order and omits absent fields, so that equal documents have equal text. */
export function canonicalDocument(document: EntryDocument): EntryDocument {
  const { title, slug, excerpt, author, tags, image, parent, kind, sections } = document;
  const terms = withoutEmpty(document.terms, ({ length }) => length > 0);
  const custom = withoutEmpty(document.custom, (value) => value !== '' && value !== 0 && value !== false);
  const seo = document.seo === undefined ? undefined : canonicalSeo(document.seo);
  return {
    title,
    slug,
    ...(excerpt !== undefined && { excerpt }),
    ...(author !== undefined && { author }),
    ...(tags !== undefined && { tags }),
    ...(image !== undefined && { image }),
    ...(parent !== undefined && { parent }),
    ...(seo !== undefined && { seo }),
    ...(kind !== undefined && { kind }),
    ...(terms !== undefined && { terms }),
    ...(custom !== undefined && { custom }),
    sections: sections.map(({ id, type, fields }) => ({ id, type, fields })),
  };
}

/** @throws InvalidInputError above MAX_SECTIONS. */
export function checkSectionCount(count: number): void {
  if (count > MAX_SECTIONS) throw new InvalidInputError(serverText('too-many-sections', { max: MAX_SECTIONS }));
}

function newSection({ type, fields }: NonNullable<NewEntry['sections']>[number], index: number): Section {
  return { id: createShortId('sec'), type, fields: newSectionFields(type, fields, index) };
}

/**
 * The first draft of a new entry: checked, with a slug from the title if none is given, and sections completed by
 * defaults and ids.
 * @throws InvalidInputError that names the problem.
 */
export function newDocument(entry: NewEntry): EntryDocument {
  checkSectionCount(entry.sections?.length ?? 0);
  const title = checkDocumentField('title', entry.title);
  const sections = (entry.sections ?? []).map(newSection);
  checkEntryMarkup(sections);
  return canonicalDocument({
    title,
    slug: checkDocumentField('slug', entry.slug ?? slugFromTitle(title, entry.type)),
    excerpt: entry.excerpt === undefined ? undefined : checkDocumentField('excerpt', entry.excerpt),
    author: entry.author === undefined ? undefined : checkDocumentField('author', entry.author),
    tags: entry.tags === undefined ? undefined : checkDocumentField('tags', entry.tags),
    image: entry.image === undefined ? undefined : checkDocumentField('image', entry.image),
    parent: entry.parent === undefined ? undefined : checkDocumentField('parent', entry.parent),
    seo: entry.seo === undefined ? undefined : checkDocumentField('seo', entry.seo),
    terms: entry.terms === undefined ? undefined : checkDocumentField('terms', entry.terms),
    sections,
  });
}
