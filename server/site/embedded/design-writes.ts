import { checkInput } from '#server/site/check-input';
import type { DocumentWriteOptions } from '#server/site/content-backend';
import type { ContentReader, ContentTransaction, WriteContext } from '#server/site/embedded/content-store';
import { commitSiteDocument } from '#server/site/embedded/site-settings-writes';
import { issueOf } from '#server/core/text/input-problems';
import { InvalidInputError } from '#server/core/errors';
import { isJsonObject, type JsonValue, toJson } from '#server/core/json';
import { serverText } from '#server/core/messages/server-text';
import { fieldText } from '#server/core/site/field-names';
import type { ChangeSet } from '#server/core/site/changes';
import {
  changedParts,
  contrastProblems,
  DEFAULT_DESIGN,
  type Design,
  type DesignPatch,
  designPatchSchema,
  designSchema,
  type DesignState,
  patchedDesign,
} from '#server/core/site/design/design';

/* Reads and writes the design. It is stored as the parts of the draft, and beside them what is published. */

/** The stored form: a change to one part of the draft, or a publication, is a change to one field. */
interface StoredDesign extends Design {
  readonly published: Design | null;
}

const NOTHING_STORED: StoredDesign = { ...DEFAULT_DESIGN, published: null };

/** A design from stored JSON. Parts that did not exist yet have their defaults. */
function completed(value: JsonValue): Design {
  return designSchema.strip().parse({ ...DEFAULT_DESIGN, ...(isJsonObject(value) ? value : {}) });
}

/** The stored design; null: none is stored. */
export function designFromJson(value: JsonValue): StoredDesign {
  const published = isJsonObject(value) ? (value['published'] ?? null) : null;
  return { ...completed(value), published: published === null ? null : completed(published) };
}

/** The design in a stored document; the default if none is stored. */
const designIn = (document: { readonly value: JsonValue } | null): StoredDesign =>
  document === null ? NOTHING_STORED : designFromJson(document.value);

/** The stored design; the default if none is stored. */
export async function readStoredDesign(reader: ContentReader): Promise<StoredDesign> {
  return designIn(await reader.siteDocument('design'));
}

/** See ContentBackend.design. */
export async function readDesign(reader: ContentReader): Promise<DesignState> {
  const document = await reader.siteDocument('design');
  const { published, ...draft } = designIn(document);
  const hasUnpublishedChanges = changedParts(published ?? DEFAULT_DESIGN, draft).length > 0;
  return { draft, published, hasUnpublishedChanges, revision: document?.revision ?? 0 };
}

/** See ContentBackend.updateDesign. */
export async function writeDesign(
  tx: ContentTransaction,
  patch: DesignPatch,
  context: WriteContext,
  { isPublished = false, ...conditions }: DocumentWriteOptions = {},
): Promise<ChangeSet> {
  const given = checkInput(designPatchSchema, patch, 'The design');
  const stored = await readStoredDesign(tx);
  const { published, ...before } = stored;
  const after = patchedDesign(before, given);
  const changed = changedParts(before, after);
  const isNews = isPublished && (published === null || changedParts(published, after).length > 0);
  if (changed.length === 0 && !isNews)
    throw new InvalidInputError(serverText(isPublished ? 'design-is-published' : 'nothing-to-change'));
  if (changed.includes('palette')) requireContrast(after.palette);
  return commitSiteDocument(tx, {
    ...context,
    conditions,
    key: 'design',
    before: toJson(stored),
    after: toJson({ ...after, published: isNews ? after : published }),
    action: isNews ? 'publish' : 'update',
    summary: isNews
      ? serverText('journal-design-published')
      : serverText('journal-design', { fields: changed.map(fieldText) }),
  });
}

/** @throws InvalidInputError that names the nearest colours with enough contrast */
function requireContrast(palette: Design['palette']): void {
  const problems = contrastProblems(palette).map(({ color, contrast, needed, nearest }) => ({
    path: `palette.${color}`,
    text: serverText('design-contrast', { color, contrast, needed, nearest, paper: palette.paper }),
  }));
  const [first] = problems;
  if (first === undefined) return;
  throw new InvalidInputError(first.text, {
    details: { issues: problems.map(({ path, text }) => issueOf(path, text)) },
  });
}
