import type { Asset } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import type { PlannedPicture } from '#server/import/plan';
import { checkGoesOn, type ImportWork, isUntouched, type KnownItem, refusalOf } from '#server/import/work';
import { stateHash } from '#server/import/state-hash';

/** Pictures that are fetched side by side. */
const AT_ONCE = 4;

/** Takes the pictures of the plan into the media library, and writes down where each is now. */
export async function takePictures(work: ImportWork): Promise<void> {
  const waiting = work.plan.pictures.values();
  const worker = async () => {
    for (const picture of waiting) {
      checkGoesOn(work);
      await takePicture(picture, work);
      work.onProgress();
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function takePicture(picture: PlannedPicture, work: ImportWork): Promise<void> {
  const { log } = work.plan;
  const known = work.known.get(picture.key);
  try {
    if (known !== undefined) return await takeAgain(picture, known, work);
    if (await isHere(picture, work)) return log.took('picture', 'unchanged');
    const reason = reasonAgainst(picture, work);
    if (reason !== null) return log.left('picture', picture.filename, reason);
    if (work.remember !== null) await add(picture, work, work.remember);
    log.took('picture', 'created');
  } catch (error) {
    checkGoesOn(work);
    log.left('picture', picture.filename, `It stays where it is: ${refusalOf(error)}`);
  }
}

function reasonAgainst({ bytes, address }: PlannedPicture, { content, options }: ImportWork): string | null {
  if (!content.capabilities().assets) return 'This site has no media library.';
  if (bytes !== undefined) return null;
  if (address === null) return 'The file names it, but does not have its bytes.';
  return options.pictures ? null : 'Pictures were not asked for: they are shown from where they are.';
}

/** The picture is in the library that the file was made of. */
async function isHere({ here }: PlannedPicture, { content }: ImportWork): Promise<boolean> {
  if (here === undefined) return false;
  const asset = await assetOf(here.id, content);
  return asset !== null && asset.deletedAt === null && asset.version === here.version;
}

async function assetOf(id: string, content: ImportWork['content']): Promise<Asset | null> {
  try {
    return await content.assets.get(id);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function hashOf({ alt, tags }: PlannedPicture): string {
  return stateHash({ alt, tags });
}

function isFound({ addresses }: PlannedPicture, { url }: Asset, work: ImportWork): void {
  for (const address of addresses) work.addresses.add(address, url);
}

async function takeAgain(picture: PlannedPicture, known: KnownItem, work: ImportWork): Promise<void> {
  const { log } = work.plan;
  const asset = await assetOf(known.localId, work.content);
  if (asset === null || asset.deletedAt !== null) {
    log.left('picture', picture.filename, 'It was taken before and deleted here since: it stays deleted.');
    return;
  }
  isFound(picture, asset, work);
  const hash = hashOf(picture);
  const isOurs = await isUntouched(work, known, asset.revision);
  if (hash === known.hash || !isOurs) {
    log.took('picture', 'unchanged');
    if (hash !== known.hash)
      log.altered(
        'picture',
        picture.filename,
        'It was changed here since it was taken: what the file says now is left out.',
      );
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
  log.took('picture', 'updated');
}

async function add(
  picture: PlannedPicture,
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
  isFound(picture, asset, { content, origin, signal, ...work });
}
