import type { ContentStore } from '#server/content/embedded/content-store';
import { readNavigation, readSettings } from '#server/content/embedded/site-document-writes';
import type { Entry } from '#server/core/content';
import { type Crop, pictureSource } from '#server/core/pictures';
import { decodeEntities } from '#server/markup/html-text';

/** More changes since the last look than are followed one by one: then the whole site is read again. */
const MAX_NEWS = 50;
/** An id, and the part of the picture where the address names one. */
const PICTURE = /(ast_[0-9a-z]{6})(?:\/[\w.-]+#([\w=:,&]+))?/g;
/** Stands for the pictures that the menu and the settings name. */
const SURROUNDINGS = 'surroundings';

/**
 * The pictures that a part of the site names, wherever and however: as an address may be written with escapes of Markdown,
 * entities and percent signs, those are undone. A picture that a text merely mentions counts, too. A part of a picture is
 * named beside it.
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

/** Tells whether visitors may see a picture, or (`crop`) have been given that part of it to look at. */
export type IsPublished = (id: string, crop?: Crop | null) => Promise<boolean>;

/**
 * Index of the pictures that visitors may see: those that a published entry, the menu or the site's settings name. It is
 * kept in memory and brought up to date by the journal, which has every change of the site, by whatever process: a
 * question costs a look at the newest change, and reading what has changed since the last question.
 */
export function createPublishedPictures(store: ContentStore): IsPublished {
  /** Pictures by what names them; null until the site was read. */
  let named: Map<string, ReadonlySet<string>> | null = null;
  /** The change up to which that is so. */
  let upTo: string | undefined;
  let reading: Promise<unknown> = Promise.resolve();

  const take = (into: Map<string, ReadonlySet<string>>, { id, published, deletedAt, marks = [] }: Entry) => {
    if (published === null || deletedAt !== null || marks.includes('password')) into.delete(id);
    else into.set(id, picturesNamedIn(published));
  };
  const readSurroundings = async () => picturesNamedIn([await readNavigation(store), await readSettings(store)]);

  async function readAll(): Promise<Map<string, ReadonlySet<string>>> {
    const all = new Map([[SURROUNDINGS, await readSurroundings()]]);
    for (const entry of await store.entries()) take(all, entry);
    return all;
  }

  async function catchUp(): Promise<Map<string, ReadonlySet<string>>> {
    const [newest] = await store.changes({ limit: 1 });
    if (named !== null && newest?.id === upTo) return named;
    const news = named === null ? [] : await store.changes({ limit: MAX_NEWS });
    const known = news.findIndex(({ id }) => id === upTo);
    if (named === null || known === -1) named = await readAll();
    else {
      const targets = new Map(news.slice(0, known).map(({ targetId, targetType }) => [targetId, targetType]));
      for (const [id, type] of targets) {
        const entry = type === 'page' || type === 'post' ? await store.entry(id) : null;
        if (entry !== null) take(named, entry);
        else if (type !== 'asset') named.set(SURROUNDINGS, await readSurroundings());
      }
    }
    // What was read after this change may hold later ones, too: they are looked at once more.
    upTo = newest?.id;
    return named;
  }

  return async (id, crop = null) => {
    // One after the other, so that each answer is of a time after its question.
    const now = reading.then(catchUp);
    reading = now.catch(() => undefined);
    return [...(await now).values()].some((names) => names.has(nameOf(id, crop)));
  };
}
