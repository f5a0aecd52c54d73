import { designPictures } from '#server/core/site/design/design';
import type { ContentStore } from '#server/site/embedded/content-store';
import { readStoredDesign } from '#server/site/embedded/design-writes';
import { readNavigation, readSettings } from '#server/site/embedded/site-settings-writes';
import type { Entry } from '#server/core/site/content';
import { type Crop, pictureSource } from '#server/core/site/pictures';
import { decodeEntities } from '#server/markup/html-text';

/** Largest number of changes since the last read that are applied one by one; after more, the whole site is read again. */
const MAX_CHANGES_FOLLOWED = 50;
/** An id, and the crop of the picture if the address names one. */
const PICTURE = /(ast_[0-9a-z]{6})(?:\/[\w.-]+#([\w=:,&]+))?/g;
/** Key for the pictures that the menu, the settings and the published design name. */
const MENU_AND_SETTINGS = 'menu and settings';

/**
 * The pictures that a part of the site names in any form. Because an address may be written with Markdown escapes,
 * entities and percent signs, those are decoded. A picture that a text merely mentions counts, too. A crop of a picture
 * is listed in addition to the picture.
 */
function picturesNamedIn(part: unknown): ReadonlySet<string> {
  const text = JSON.stringify(part);
  const plain = decodeEntities(text.replaceAll('\\', '')).replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const found = [...text.matchAll(PICTURE), ...plain.matchAll(PICTURE)];
  return new Set(
    found.flatMap(([, id = '', fragment]) => {
      const { crop } = pictureSource(`#${fragment ?? ''}`);
      return crop === null ? [id] : [id, nameOf(id, crop)];
    }),
  );
}

const nameOf = (id: string, crop: Crop | null) => (crop === null ? id : `${id} ${JSON.stringify(crop)}`);

/** True if visitors may see a picture, or (`crop`) that crop of it. */
export type IsPublished = (id: string, crop?: Crop | null) => Promise<boolean>;

/**
 * Index of the pictures that visitors may see: those that a published entry, the menu, the site's settings or the published design name. It
 * is kept in memory and updated from the journal, which has every change of the site by any process: a query reads the
 * newest change, and all changes since the last query.
 */
export function createPublishedPictures(store: ContentStore): IsPublished {
  /** Pictures by the part of the site that names them; null until the site was read. */
  let named: Map<string, ReadonlySet<string>> | null = null;
  /** The change up to which `named` is current. */
  let upTo: string | undefined;
  let reading: Promise<unknown> = Promise.resolve();

  const index = (into: Map<string, ReadonlySet<string>>, { id, published, deletedAt, marks = [] }: Entry) => {
    if (published === null || deletedAt !== null || marks.includes('password')) into.delete(id);
    else into.set(id, picturesNamedIn(published));
  };
  const readMenuAndSettings = async () =>
    picturesNamedIn([
      await readNavigation(store),
      await readSettings(store),
      designPictures((await readStoredDesign(store)).published),
    ]);

  async function readAll(): Promise<Map<string, ReadonlySet<string>>> {
    const all = new Map([[MENU_AND_SETTINGS, await readMenuAndSettings()]]);
    for (const entry of await store.entries()) index(all, entry);
    return all;
  }

  async function catchUp(): Promise<Map<string, ReadonlySet<string>>> {
    const [newest] = await store.changes({ limit: 1 });
    if (named !== null && newest?.id === upTo) return named;
    const recent = named === null ? [] : await store.changes({ limit: MAX_CHANGES_FOLLOWED });
    const known = recent.findIndex(({ id }) => id === upTo);
    if (named === null || known === -1) named = await readAll();
    else {
      const targets = new Map(recent.slice(0, known).map(({ targetId, targetType }) => [targetId, targetType]));
      for (const [id, type] of targets) {
        const entry = type === 'page' || type === 'post' ? await store.entry(id) : null;
        if (entry !== null) index(named, entry);
        else if (type !== 'asset') named.set(MENU_AND_SETTINGS, await readMenuAndSettings());
      }
    }
    // The read may already include changes after this one; these are then read once more.
    upTo = newest?.id;
    return named;
  }

  return async (id, crop = null) => {
    // One read after the other, so that each answer reflects a state after its query.
    const now = reading.then(catchUp);
    reading = now.catch(() => undefined);
    return [...(await now).values()].some((names) => names.has(nameOf(id, crop)));
  };
}
