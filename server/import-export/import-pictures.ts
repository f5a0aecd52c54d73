import type { Asset } from '#server/core/site/content';
import { NotFoundError, refusalOf } from '#server/core/errors';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import type { SourcePicture } from '#server/import-export/plan/import-plan';
import { type ImportWork, isUntouched, type KnownItem, throwIfCancelled } from '#server/import-export/import-work';
import { stateHash } from '#server/import-export/plan/state-hash';

/**
 * Number of pictures that are imported in parallel: most of the time is spent waiting for the old site. A choice, not
 * measured.
 */
const PARALLEL_DOWNLOADS = 4;

/**
 * Imports the pictures of the plan into the media library, and adds their new addresses to `work.addresses`. A picture
 * that cannot be imported is recorded as skipped.
 * @throws CancelledError between two pictures
 */
export async function importPictures(work: ImportWork): Promise<void> {
  const waiting = work.plan.pictures.values();
  const worker = async () => {
    for (const picture of waiting) {
      throwIfCancelled(work);
      await importPicture(picture, work);
      work.onProgress?.();
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL_DOWNLOADS }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function importPicture(picture: SourcePicture, work: ImportWork): Promise<void> {
  const { log } = work.plan;
  const known = work.known.get(picture.key);
  try {
    if (known !== undefined) return await updatePicture(picture, known, work);
    if (await isFromThisSite(picture, work)) return log.countImported('picture', 'unchanged');
    const reason = reasonToSkip(picture, work);
    if (reason !== null) return log.addSkipped('picture', picture.filename, reason);
    if (work.remember !== null) await addPicture(picture, work, work.remember);
    else if (picture.address === null) for (const address of picture.addresses) work.addresses.add(address, address);
    log.countImported('picture', 'created');
    log.countVisible('picture');
  } catch (error) {
    throwIfCancelled(work);
    log.addSkipped('picture', picture.filename, serverText('import-picture-failed', { reason: refusalOf(error) }));
  }
}

function reasonToSkip({ bytes, address }: SourcePicture, { content, options }: ImportWork): ServerText | null {
  if (!content.capabilities().assets) return serverText('import-no-library');
  if (bytes !== undefined) return null;
  if (address === null) return serverText('import-picture-without-bytes');
  return options.pictures ? null : serverText('import-pictures-not-chosen');
}

/** True if the picture is in this library because the file was exported from this site. */
async function isFromThisSite({ here }: SourcePicture, { content }: ImportWork): Promise<boolean> {
  if (here === undefined) return false;
  const asset = await assetOf(here.id, content);
  return asset !== null && asset.deletedAt === null && asset.version === here.version;
}

/** A picture of the library, in the trash or not; null if it does not exist. */
export async function assetOf(id: string, content: ImportWork['content']): Promise<Asset | null> {
  try {
    return await content.assets.get(id);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function hashOf({ alt, tags }: SourcePicture): string {
  return stateHash({ alt, tags });
}

function recordAddresses({ addresses }: SourcePicture, { url }: Asset, work: ImportWork): void {
  for (const address of addresses) work.addresses.add(address, url);
}

async function updatePicture(picture: SourcePicture, known: KnownItem, work: ImportWork): Promise<void> {
  const { log } = work.plan;
  const asset = await assetOf(known.localId, work.content);
  if (asset === null || asset.deletedAt !== null) {
    log.addSkipped('picture', picture.filename, serverText('import-deleted-here'));
    return;
  }
  recordAddresses(picture, asset, work);
  const hash = hashOf(picture);
  const isImported = await isUntouched(work, known, asset.revision);
  if (hash === known.hash || !isImported) {
    log.countImported('picture', 'unchanged');
    if (hash !== known.hash) log.addAltered('picture', picture.filename, serverText('import-changed-here'));
    return;
  }
  if (work.remember !== null) {
    const { asset: written } = await work.content.assets.update(
      asset.id,
      { alt: picture.alt, tags: picture.tags },
      work.origin,
    );
    await work.remember({ ...known, hash, revision: written.revision });
  }
  log.countImported('picture', 'updated');
}

async function addPicture(
  picture: SourcePicture,
  { content, origin, signal, ...work }: ImportWork,
  remember: NonNullable<ImportWork['remember']>,
): Promise<void> {
  const data =
    picture.bytes === undefined
      ? (await content.assets.download(picture.address ?? '', signal)).data
      : Buffer.from(picture.bytes, 'base64');
  const { alt, tags, filename } = picture;
  const { asset } = await content.assets.add({ data, filename, alt, tags }, origin);
  await remember({ sourceKey: picture.key, localId: asset.id, hash: hashOf(picture), revision: asset.revision });
  recordAddresses(picture, asset, { content, origin, signal, ...work });
}
