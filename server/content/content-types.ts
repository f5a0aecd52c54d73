import { z } from 'zod';
import type { TypeDetail, TypeSummary } from '#server/content/content-backend';
import { describeSectionType, fieldDetails, fieldsLine } from '#server/content/section-types';
import { documentFieldSchemas } from '#server/content/entry-document';
import { type EntryType, entryTypes, type SectionType, sectionTypes } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import { sectionFieldSchemas } from '#server/core/section-fields';

const { title, slug, parent, ...optionalFields } = documentFieldSchemas;
const post = z.object({ title, slug, ...z.object(optionalFields).partial().shape });
const entryShapes: Record<EntryType, z.ZodObject> = { page: post.extend({ parent: parent.optional() }), post };
const entryPurposes: Record<EntryType, string> = {
  page: 'At a path of its own, below its parent.',
  post: 'Below /blog, newest first.',
};

function entryType(name: EntryType): TypeSummary {
  return { name, description: `${entryPurposes[name]} ${fieldsLine(entryShapes[name])}, sections` };
}

function sectionType(name: SectionType): TypeSummary {
  return { name, description: describeSectionType(name) };
}

/** See ContentBackend.types. */
export function listTypes(): { entries: readonly TypeSummary[]; sections: readonly TypeSummary[] } {
  return { entries: entryTypes.map(entryType), sections: sectionTypes.map(sectionType) };
}

/** See ContentBackend.type. */
export function describeType(name: string): TypeDetail {
  const entry = entryTypes.find((type) => type === name);
  if (entry !== undefined) return { ...entryType(entry), fields: fieldDetails(entryShapes[entry]) };
  const section = sectionTypes.find((type) => type === name);
  if (section !== undefined) return { ...sectionType(section), fields: fieldDetails(sectionFieldSchemas[section]) };
  const hint = `The types are ${[...entryTypes, ...sectionTypes].join(', ')}.`;
  throw new NotFoundError('type', name.slice(0, 80).toWellFormed(), hint);
}
