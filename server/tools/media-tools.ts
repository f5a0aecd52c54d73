import { z } from 'zod';
import { recordChanges } from '#server/site/field-changes';
import type { AssetChange } from '#server/site/asset-library';
import type { ContentBackend } from '#server/site/content-backend';
import { picturesInUse } from '#server/site/reports/used-pictures';
import type { Asset } from '#server/core/site/content';
import { InvalidInputError, NotFoundError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { PictureUse } from '#server/core/site/site-lists';
import type { Bill } from '#server/core/admin/spending';
import type { EffectTarget, ToolEffect } from '#server/core/conversation/tool-effect';
import { serverText } from '#server/core/messages/server-text';
import { effect } from '#server/tools/effects';
import { notesResult } from '#server/tools/result-fields';
import { MISSING_ALT_NOTE } from '#server/tools/missing-alt';
import { nameInput, tagsInput } from '#server/tools/schemas';
import { defineTool, type SessionFile, type SessionFiles, type Tool } from '#server/tools/tool';
import { checkAssetDetails } from '#server/site/asset-details';

const altInput = z.string().max(300).optional();

/** Lists pictures of the media library, newest first; pictures without a description have `alt` null. */
export const listMedia = defineTool({
  name: 'list_media',
  description: 'List pictures of the media library and where they are used; alt null: not described.',
  maxOutputChars: 16_000,
  input: z.strictObject({
    query: nameInput(300).optional(),
    missingAlt: z.boolean().optional(),
    limit: z.int().min(1).max(100).optional(),
    cursor: nameInput(500).optional(),
  }),
  async execute({ query: text, ...query }, { content }) {
    const { items, total, nextCursor } = await content.assets.list({ limit: 30, ...query, text });
    const uses = await picturesInUse(content);
    return {
      total,
      ...(nextCursor !== null && { cursor: nextCursor }),
      items: items.map((asset) => ({ ...assetLine(asset), ...usesLine(uses.get(asset.id)) })),
      ...(items.length === 0 && { note: NOT_IN_LIBRARY_NOTE }),
    };
  },
});

const NOT_IN_LIBRARY_NOTE = 'Pictures at other addresses (/images/…) are not in the library.';

/** Largest number of places of a picture in a list. */
const MAX_USES = 5;

/** `used_in`, which is also present for a picture that is not used. */
function usesLine(uses: readonly PictureUse[] = []): Record<string, JsonValue> {
  const named = uses.slice(0, MAX_USES).map(({ title, isPublished }) => (isPublished ? title : `${title} (draft)`));
  const more = uses.length - named.length;
  return { used_in: more > 0 ? [...named, `and ${more} more`] : named };
}

/**
 * The name of the replacement image.
 * @throws InvalidInputError without a name: the newest image could be another one after the user has approved
 */
function requireNamedImage(file: string | undefined): string {
  if (file === undefined) throw new InvalidInputError('Name the replacement image (file).');
  return file;
}

async function readSessionImage(files: SessionFiles, name: string | undefined) {
  const { file, data } = await resolveImage(files, name);
  return { filename: file.filename, data };
}

/** True for an address on the internet, false for a filename. */
function isAddress(file: string | undefined): file is string {
  return file !== undefined && /^https?:\/\//i.test(file);
}

/**
 * Adds an image of the conversation, or one from another server, to the media library, or replaces a picture in it. Its
 * url can then be used in sections like any other.
 */
export const addMedia = defineTool({
  name: 'add_media',
  description:
    'Put an image of this chat into the media library, for its url; with replaces, in place of that picture.',
  input: z.strictObject({
    file: nameInput(2_000).optional().describe('filename or URL; default: newest'),
    alt: altInput.describe('what it shows'),
    replaces: nameInput(300).optional().describe('ast_...'),
  }),
  writes: true,
  withoutConversation: {
    description:
      'Put an image from the internet into the media library, for its url; with replaces, in place of that picture.',
    fields: { file: 'https URL' },
  },
  /**
   * Requires approval for addresses, whose owner could learn what was read here, and for replacements that visitors see
   * immediately.
   */
  async asks({ file, replaces }, { content }) {
    if (isAddress(file)) return true;
    if (replaces === undefined) return false;
    requireNamedImage(file);
    const { id } = await resolveAsset(content, replaces);
    return (await content.referencesTo({ type: 'asset', id })).some(
      ({ isPublished, isPlanned }) => isPublished || isPlanned === true,
    );
  },
  async effect({ file, alt, replaces }, { content, files }) {
    checkAssetDetails({ alt });
    if (isAddress(file)) content.assets.checkAddress(file);
    else if (files) await resolveImage(files, file);
    if (replaces === undefined) {
      const source = isAddress(file) ? 'address' : file === undefined ? 'newest' : 'file';
      return effect({
        summary: serverText('add-picture', { file: file ?? null, source }),
        targets: [],
      });
    }
    const asset = await resolveAsset(content, replaces);
    return effect({
      summary: serverText('replace-picture', { filename: asset.filename, file: requireNamedImage(file) }),
      targets: [assetTarget(asset)],
      references: await content.referencesTo({ type: 'asset', id: asset.id }),
    });
  },
  async execute({ file, alt: words, replaces }, { content, origin, files, signal }) {
    // An invalid description is refused before the picture is replaced.
    const { alt } = checkAssetDetails({ alt: words });
    const { filename, data } = isAddress(file)
      ? await content.assets.download(file, signal)
      : await readSessionImage(files, replaces === undefined ? file : requireNamedImage(file));
    if (replaces === undefined) return assetResult(await content.assets.add({ data, filename, alt }, origin));
    const { id } = await resolveAsset(content, replaces);
    const replaced = await content.assets.replace(id, { data, filename }, origin);
    if (alt === undefined || alt === replaced.asset.alt) return assetResult(replaced);
    return assetResult(await content.assets.update(id, { alt }, origin));
  },
});

/** Changes the details of a picture in the media library: its description, name and tags. */
export const updateMedia = defineTool({
  name: 'update_media',
  description: 'Describe, rename or tag a picture of the media library.',
  input: z.strictObject({
    ref: nameInput(300).describe('ast_...'),
    alt: altInput,
    filename: z.string().max(100).optional(),
    tags: tagsInput,
  }),
  writes: true,
  async effect({ ref, ...details }, { content }) {
    const asset = await resolveAsset(content, ref);
    const wanted = checkAssetDetails(details);
    return effect({
      summary: serverText('change-picture', { filename: asset.filename }),
      targets: [assetTarget(asset)],
      changes: recordChanges(
        { alt: asset.alt, filename: asset.filename, tags: [...asset.tags] },
        { alt: asset.alt, filename: asset.filename, tags: [...asset.tags], ...wanted },
      ),
    });
  },
  async execute({ ref, ...details }, { content, origin }) {
    const { id } = await resolveAsset(content, ref);
    return assetResult(await content.assets.update(id, details, origin));
  },
});

/** A question about a picture, charged to a user. */
export interface PictureQuestion {
  readonly data: Uint8Array;
  readonly mediaType: string;
  readonly filename: string;
  readonly question: string;
  readonly bill: Omit<Bill, 'kind'>;
}

/** Sends a question to the picture model. @throws ToolError with the reason if the model gives no answer */
export type AskAboutPicture = (question: PictureQuestion, signal: AbortSignal) => Promise<string>;

const DEFAULT_QUESTION = 'What does it show?';

/** Creates the tool that lets another model look at pictures; offered if such a model is set. */
export function createLookAtPicture(ask: AskAboutPicture): Tool {
  return defineTool({
    name: 'look_at_picture',
    description: 'Have a picture of this chat or the media library looked at, and a question about it answered.',
    withoutConversation: {
      description: 'Have a picture of the media library looked at, and a question about it answered.',
      fields: { picture: 'ast_...' },
    },
    input: z.strictObject({
      picture: nameInput(300).optional().describe('filename or ast_...; default: newest of this chat'),
      question: nameInput(2_000).optional(),
    }),
    async execute({ picture, question = DEFAULT_QUESTION }, { content, files, origin, signal }) {
      const { userId = '', sessionId = null } = origin;
      const found = await findPicture(content, files, picture);
      const answer = await ask({ ...found, question, bill: { userId, sessionId } }, signal);
      return { picture: found.filename, answer };
    },
  });
}

/** An image of this conversation, otherwise one of the media library. @throws NotFoundError, InvalidInputError */
async function findPicture(content: ContentBackend, files: SessionFiles, ref: string | undefined) {
  const assetId = ref === undefined ? null : assetIdIn(ref);
  const image = assetId === null ? await resolveImage(files, ref).catch(nullIfMissing(ref)) : null;
  if (image) return { data: image.data, mediaType: image.file.mediaType, filename: image.file.filename };
  const { id, filename } = await resolveAsset(content, ref ?? '');
  const { data, mediaType } = await content.assets.read(id, 'full');
  return { data, mediaType, filename };
}

/** Null if no image has this name, so that the caller can search elsewhere. */
const nullIfMissing = (ref: string | undefined) => (error: unknown) => {
  if (ref !== undefined && error instanceof NotFoundError) return null;
  throw error;
};

/** Largest number of files that an error names. */
const MAX_NAMED = 10;

function describe({ id, filename, width, height }: SessionFile): string {
  return `${filename} (${id}${width !== null && height !== null ? `, ${width} x ${height}` : ''})`;
}

/**
 * An image of this conversation by its filename or id, with its bytes; without either, the newest.
 * @throws NotFoundError that names the existing images, InvalidInputError (several with that name)
 */
async function resolveImage(
  files: SessionFiles,
  ref: string | undefined,
): Promise<{ file: SessionFile; data: Uint8Array }> {
  const images = (await files.list()).filter(({ mediaType }) => mediaType.startsWith('image/'));
  const wanted = ref?.trim().toLowerCase();
  const named =
    wanted === undefined
      ? images.slice(0, 1)
      : images.filter(({ id, filename }) => id === wanted || filename.toLowerCase() === wanted);
  const [file, second] = named;
  if (file === undefined && ref === undefined)
    throw new ToolError(files.none ?? 'No image is attached here. Ask the user to attach one.');
  if (file === undefined) {
    const known = images.slice(0, MAX_NAMED).map(({ filename }) => filename);
    const attached = known.length === 0 ? 'Ask the user to attach it.' : `Attached, newest first: ${known.join(', ')}.`;
    const hint = files.none ?? attached;
    throw new NotFoundError(
      files.none === undefined ? 'image in this conversation named' : 'attached image',
      (ref ?? '').slice(0, 80),
      hint,
    );
  }
  if (second !== undefined) {
    const which = named.slice(0, MAX_NAMED).map(describe).join('; ');
    throw new InvalidInputError(`Several images have this name, newest first: ${which}. Name one by its id.`);
  }
  const data = await files.read(file.id);
  if (data === null) throw new ToolError(`${describe(file)} cannot be read any more.`);
  return { file, data };
}

const ASSET_ID = /^(?:.*\/media\/)?(ast_[a-z0-9]{6})(?:\/.*)?$/;

/** The id of a picture in a text that is its id or its address; null for any other text. */
export function assetIdIn(ref: string): string | null {
  return ASSET_ID.exec(ref.trim())?.[1] ?? null;
}

/**
 * A picture by its id, its address or its filename. @throws NotFoundError, InvalidInputError (several with that name)
 */
async function resolveAsset({ assets }: ContentBackend, ref: string): Promise<Asset> {
  const id = assetIdIn(ref);
  if (id !== null) return assets.get(id);
  const { items } = await assets.list({ text: ref, limit: 100 });
  const named = items.filter(({ filename }) => filename.toLowerCase() === ref.trim().toLowerCase());
  const [first, second] = named;
  if (first === undefined) throw new NotFoundError('picture', ref.slice(0, 80), 'list_media finds them.');
  if (second === undefined) return first;
  const ids = named.slice(0, 10).map(({ id: each, width, height }) => `${each} (${width} x ${height})`);
  throw new InvalidInputError(
    `Several pictures are called "${ref.slice(0, 80)}": ${ids.join(', ')}. Name one by its id.`,
  );
}

/** One picture in the form that the model reads. */
function assetLine({ id, url, filename, alt, tags, width, height }: Asset): Record<string, JsonValue> {
  return {
    id,
    url,
    filename,
    alt: alt || null,
    size: `${width} x ${height}`,
    ...(tags.length > 0 && { tags: [...tags] }),
  };
}

/** The result of a write to a picture. */
export function assetResult(written: AssetChange): JsonValue {
  const { asset, change } = written;
  return {
    ...assetLine(asset),
    ...(asset.alt === '' && asset.deletedAt === null && { note: MISSING_ALT_NOTE }),
    changeId: change.id,
    ...notesResult(written),
  };
}

function assetTarget({ id, filename, revision }: Asset): EffectTarget {
  return { type: 'asset', id, title: filename, revision };
}

/** Effect of deleting a picture, with every entry that shows it. @throws NotFoundError */
export async function assetTrashEffect(content: ContentBackend, id: string): Promise<ToolEffect> {
  const asset = await content.assets.get(id);
  const references = await content.referencesTo({ type: 'asset', id });
  return effect({
    summary: serverText('trash-picture', { filename: asset.filename }),
    targets: [assetTarget(asset)],
    references,
    warnings: references.length === 0 ? [] : [serverText('picture-in-use')],
  });
}
