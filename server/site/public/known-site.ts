import type { AssetLibrary } from '#server/site/asset-library';
import type { ContentBackend, EntryQuery, PathMatch } from '#server/site/content-backend';
import { partsOf, Site } from '#server/site/site';
import type { HiddenMenuItem, NavigationItem, SiteSettings } from '#server/core/site/content';
import type { EntryPage } from '#server/core/site/site-lists';
import type { DesignState } from '#server/core/site/design/design';
import { BoundedMap } from '#server/core/bounded-map';

/** Number of addresses, and of pictures, whose content is kept. A choice, not measured: those that visitors open often. */
const MAX_KEPT = 200;

/** What was read at one state of the site. */
class KnownState {
  readonly #kept = new BoundedMap<Promise<unknown>>(MAX_KEPT);

  /** The result of a read, or of the same read before. Failures are not kept, nor is what `isKept` refuses. */
  read<T>(key: string, read: () => Promise<T>, isKept: (result: T) => boolean = () => true): Promise<T> {
    const known = this.#kept.get(key) as Promise<T> | undefined;
    if (known) return known;
    const reading = read();
    void this.#kept.set(key, reading);
    const drop = () => {
      if (this.#kept.get(key) === reading) void this.#kept.delete(key);
    };
    void reading.then((result) => (isKept(result) ? undefined : drop()), drop);
    return reading;
  }
}

/**
 * The built-in site for its visitors, kept in memory as long as nothing changes. Its journal contains every change,
 * whichever process made it: a page costs one query while its newest change is still the same.
 */
export class KnownSite {
  readonly #content: ContentBackend;
  #state = new KnownState();
  #newest = '';

  /** @param content of the built-in site: the journal does not contain the changes that are made in WordPress */
  constructor(content: ContentBackend) {
    this.#content = content;
  }

  /** The site as it is now. */
  async current(): Promise<ContentBackend> {
    const [newest] = await this.#content.changes({ limit: 1 });
    // Typing that goes on extends a change, which raises its revision.
    const name = newest === undefined ? '' : `${newest.id} ${newest.revision}`;
    if (name !== this.#newest) {
      this.#newest = name;
      this.#state = new KnownState();
    }
    return new RememberedSite(this.#content, this.#state);
  }
}

/** A site that remembers the reads of a public page. */
class RememberedSite extends Site {
  readonly #state: KnownState;
  readonly #assets: AssetLibrary;

  constructor(content: ContentBackend, state: KnownState) {
    super(() => partsOf(content));
    this.#state = state;
    const { assets } = content;
    this.#assets = { ...assets, get: (id) => state.read(`asset ${id}`, () => assets.get(id)) };
  }

  override get assets(): AssetLibrary {
    return this.#assets;
  }

  override settings(): Promise<SiteSettings> {
    return this.#state.read('settings', () => super.settings());
  }

  override navigation(): Promise<NavigationItem[]> {
    return this.#state.read('navigation', () => super.navigation());
  }

  override hiddenMenuItems(version: 'published' | 'draft'): Promise<HiddenMenuItem[]> {
    return this.#state.read(`hidden ${version}`, () => super.hiddenMenuItems(version));
  }

  override design(): Promise<DesignState> {
    return this.#state.read('design', () => super.design());
  }

  override query(query: EntryQuery): Promise<EntryPage> {
    return this.#state.read(`query ${JSON.stringify(query)}`, () => super.query(query));
  }

  override findByPath(path: string, version: 'published' | 'draft'): Promise<PathMatch | null> {
    // Former addresses may be added without a change.
    const isEntry = (found: PathMatch | null) => found?.kind === 'entry';
    return this.#state.read(`path ${version} ${path}`, () => super.findByPath(path, version), isEntry);
  }
}
