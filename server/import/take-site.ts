import type { Asset, NavigationItem, SiteSettings } from '#server/core/content';
import { NotFoundError, refusalOf } from '#server/core/errors';
import { linkSchema } from '#server/core/safe-text';
import type { ImportReport } from '#server/core/imports';
import { type DecidedEntry, decideEntries } from '#server/import/decide-entries';
import { menuSize, type SourceMenuItem, type SourcePicture } from '#server/import/plan';
import { takeEntry } from '#server/import/take-entry';
import { checkGoesOn, type ImportWork, isUntouched, type KnownItem, stateHash } from '#server/import/work';

type Decided = ReadonlyMap<string, DecidedEntry>;

/**
 * Carries out a plan through the content port: pictures first, so that entries can name them, then entries, then the
 * menu and the settings, which name entries. Anything that the site refuses is reported and left out.
 * @throws CancelledError between two things; any error that concerns the whole import (the database, a site out of reach)
 */
export async function takeSite(work: ImportWork): Promise<ImportReport> {
  const { plan, content } = work;
  await takePictures(work);
  const { homeSlug } = { ...(await content.settings()), ...wantedSettings(work) };
  const { decided, taken } = await decideEntries(work, homeSlug);
  const pictures = new Map(
    plan.pictures.flatMap((picture) => (picture.number === undefined ? [] : [[picture.number, picture]])),
  );
  const ids = new Map<string, string>();
  for (const entry of decided.values()) {
    checkGoesOn(work);
    await takeEntry(entry, { work, ids, taken, addresses: work.addresses, pictures });
    work.onProgress?.();
    // Reading content waits for nothing: others get a turn between two entries.
    await new Promise(setImmediate);
  }
  checkGoesOn(work);
  await takeMenu(work, decided);
  await takeSettings(work, decided);
  work.onProgress?.();
  return plan.log.report();
}

/** Makes the menu of the plan the navigation of the site, where it has none, where it is an import's, or where asked. */
async function takeMenu(work: ImportWork, decided: Decided): Promise<void> {
  const { plan, content } = work;
  if (plan.menu === null) return;
  const { name } = plan.menu;
  const items = navigationOf(plan.menu.items, work, decided);
  const size = sizeOf(items);
  if (size === 0) return;
  try {
    const present = await content.navigation();
    const known = work.known.get('menu');
    const revision = await revisionOf(work, 'navigation');
    const isOurs = known !== undefined && known.revision === revision;
    if (JSON.stringify(present) === JSON.stringify(items)) return plan.log.took('menu', 'unchanged', size);
    if (present.length > 0 && !isOurs && !work.options.settings) {
      plan.log.left(
        'menu',
        name,
        'The site already has a menu, which stays. Choose to import settings to replace it.',
        size,
      );
      return;
    }
    if (work.remember !== null) {
      const change = await content.setNavigation(items, work.origin);
      const hash = stateHash(items);
      await work.remember({ sourceKey: 'menu', localId: 'navigation', hash, revision: change.revision });
    }
    plan.log.took('menu', isOurs ? 'updated' : 'created', size);
    plan.log.appears('menu', size);
  } catch (error) {
    plan.log.left('menu', name, refusalOf(error), size);
  }
}

async function revisionOf({ content }: ImportWork, targetId: string): Promise<number> {
  const [newest] = await content.changes({ targetId, limit: 1 });
  return newest?.revision ?? 0;
}

function sizeOf(items: readonly NavigationItem[]): number {
  return items.reduce((sum, { children = [] }) => sum + 1 + sizeOf(children), 0);
}

function navigationOf(items: readonly SourceMenuItem[], work: ImportWork, decided: Decided): NavigationItem[] {
  const { log } = work.plan;
  return items.flatMap((item) => {
    const { label, target, children } = item;
    const href = 'entry' in target ? pathOf(target.entry, decided) : work.addresses.toLocal(target.href);
    if (href === null || !linkSchema.safeParse(href).success) {
      const reason =
        href === null ? 'It leads to something that visitors do not see here.' : 'A menu cannot lead to its address.';
      log.left('menu', label, reason, menuSize([item]));
      return [];
    }
    const below = navigationOf(children, work, decided);
    return [{ label, href, ...(below.length > 0 && { children: below }) }];
  });
}

/** Null where it leads to nothing here, or to what visitors must not even read the title of. */
function pathOf(key: string, decided: Decided): string | null {
  const found = decided.get(key);
  if (found === undefined || found.state === 'gone') return null;
  const { planned, state, entry, path } = found;
  const seen = state === 'theirs' ? entry?.published : planned.published;
  return seen ? path : null;
}

/** Settings of the plan that the options ask for. */
function wantedSettings({ plan, options }: Pick<ImportWork, 'plan' | 'options'>): Partial<SiteSettings> {
  return options.settings ? plan.settings : {};
}

/** Sets name, tagline and what else the plan has of settings and standing instructions, where that was asked for. */
async function takeSettings(work: ImportWork, decided: Decided): Promise<void> {
  const { plan, options, content } = work;
  const { log, settings, standing } = plan;
  const names = Object.keys(settings) as (keyof SiteSettings)[];
  if (!options.settings) {
    const reason = 'The settings of the site stay as they are: importing settings was not chosen.';
    if (names.length > 0) log.left('settings', settings.siteName ?? '', reason, names.length);
    if (standing !== null) log.left('settings', 'standing instructions', reason);
    return;
  }
  const present = await content.settings();
  const home = [...decided.values()].find(
    ({ planned }) => planned.type === 'page' && planned.draft.slug === settings.homeSlug,
  );
  const wanted = {
    ...settings,
    ...(home !== undefined && { homeSlug: home.slug }),
    ...(settings.icon && { icon: work.addresses.toLocal(settings.icon) }),
  };
  const isHomeKnown = home !== undefined || (await hasPage(content, wanted.homeSlug ?? present.homeSlug));
  const changed = names.filter((name) => wanted[name] !== present[name] && (name !== 'homeSlug' || isHomeKnown));
  if (!isHomeKnown && wanted.homeSlug !== undefined && wanted.homeSlug !== present.homeSlug)
    log.left('settings', `home page "${wanted.homeSlug}"`, 'There is no such page on the site.');
  try {
    if (changed.length > 0 && work.remember !== null)
      await content.updateSettings(Object.fromEntries(changed.map((name) => [name, wanted[name]])), work.origin);
    log.took('settings', 'updated', changed.length);
    log.appears('settings', changed.length);
    log.took('settings', 'unchanged', names.length - changed.length);
  } catch (error) {
    log.left('settings', changed.join(', '), refusalOf(error), names.length);
  }
  if (standing !== null) await takeStanding(work);
}

async function hasPage(content: ImportWork['content'], slug: string): Promise<boolean> {
  const page = await content.find(slug, 'page');
  return page !== null && [page.draft.slug, page.published?.slug].includes(slug);
}

async function takeStanding({ plan: { log, standing }, content, remember, origin }: ImportWork): Promise<void> {
  if (standing === null) return;
  const { voice, glossary, rules } = await content.standingInstructions();
  if (JSON.stringify({ voice, glossary, rules }) === JSON.stringify(standing)) return log.took('settings', 'unchanged');
  try {
    if (remember !== null) await content.setStandingInstructions(standing, origin);
    log.took('settings', 'updated');
  } catch (error) {
    log.left('settings', 'standing instructions', refusalOf(error));
  }
}

/** Pictures that are fetched side by side. */
const AT_ONCE = 4;

/** Takes the pictures of the plan into the media library, and writes down where each is now. */
async function takePictures(work: ImportWork): Promise<void> {
  const waiting = work.plan.pictures.values();
  const worker = async () => {
    for (const picture of waiting) {
      checkGoesOn(work);
      await takePicture(picture, work);
      work.onProgress?.();
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function takePicture(picture: SourcePicture, work: ImportWork): Promise<void> {
  const { log } = work.plan;
  const known = work.known.get(picture.key);
  try {
    if (known !== undefined) return await takeAgain(picture, known, work);
    if (await isHere(picture, work)) return log.took('picture', 'unchanged');
    const reason = reasonAgainst(picture, work);
    if (reason !== null) return log.left('picture', picture.filename, reason);
    if (work.remember !== null) await add(picture, work, work.remember);
    log.took('picture', 'created');
    log.appears('picture');
  } catch (error) {
    checkGoesOn(work);
    log.left('picture', picture.filename, `It was not copied: ${refusalOf(error)}`);
  }
}

function reasonAgainst({ bytes, address }: SourcePicture, { content, options }: ImportWork): string | null {
  if (!content.capabilities().assets) return 'This site has no media library.';
  if (bytes !== undefined) return null;
  if (address === null) return 'The file names it, but does not have its bytes.';
  return options.pictures ? null : 'Importing pictures was not chosen: they are shown from the old site.';
}

/** The picture is in the library that the file was made of. */
async function isHere({ here }: SourcePicture, { content }: ImportWork): Promise<boolean> {
  if (here === undefined) return false;
  const asset = await assetOf(here.id, content);
  return asset !== null && asset.deletedAt === null && asset.version === here.version;
}

/** A picture of the library, trashed or not; null where there is none. */
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

function isFound({ addresses }: SourcePicture, { url }: Asset, work: ImportWork): void {
  for (const address of addresses) work.addresses.add(address, url);
}

async function takeAgain(picture: SourcePicture, known: KnownItem, work: ImportWork): Promise<void> {
  const { log } = work.plan;
  const asset = await assetOf(known.localId, work.content);
  if (asset === null || asset.deletedAt !== null) {
    log.left('picture', picture.filename, 'It was imported before and has been deleted here since: it stays deleted.');
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
        'It has been changed here since it was imported: the version in the file is left out.',
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
  isFound(picture, asset, { content, origin, signal, ...work });
}
