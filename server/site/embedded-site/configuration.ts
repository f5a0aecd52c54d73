import type { ContentReader, ContentStore } from '#server/site/embedded/content-store';
import { readDesign, writeDesign } from '#server/site/embedded/design-writes';
import { findByPath } from '#server/site/embedded/entry-paths';
import {
  readNavigation,
  readSettings,
  readStanding,
  writeNavigation,
  writeSettings,
  writeStanding,
} from '#server/site/embedded/site-settings-writes';
import type { SiteWriter } from '#server/site/embedded/site-writer';
import type { DocumentWriteOptions, SiteConfiguration, StandingState } from '#server/site/content-backend';
import { deadRedirects, deadSiteLinks, type FindByPath, flatItems, footerLinks } from '#server/site/dead-links';
import { parseRedirects } from '#server/core/site/manual-redirects';
import type { NavigationItem, SiteSettings } from '#server/core/site/content';
import type { ChangeOrigin, ChangeSet, WriteNotes, WriteOptions } from '#server/core/site/changes';
import type { DesignPatch, DesignState } from '#server/core/site/design/design';
import { serverText } from '#server/core/messages/server-text';
import { notesFrom } from '#server/core/message-data';
import type { StandingInstructions } from '#server/core/site/standing-instructions';

/** The menu, the settings, the design and the standing instructions of a site in the local database. */
export class EmbeddedConfiguration implements SiteConfiguration {
  readonly #store: ContentStore;
  readonly #writer: SiteWriter;
  readonly #countTokens: (text: string) => number;

  constructor(store: ContentStore, writer: SiteWriter, countTokens: (text: string) => number) {
    this.#store = store;
    this.#writer = writer;
    this.#countTokens = countTokens;
  }

  navigation(): Promise<NavigationItem[]> {
    return readNavigation(this.#store);
  }

  setNavigation(
    items: readonly NavigationItem[],
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    return this.#writer.write(
      async (tx, context) => {
        const before = await readNavigation(tx);
        const change = await writeNavigation(tx, items, context, options);
        const notes = await deadSiteLinks(flatItems(before), flatItems(items), (path, state) =>
          findByPath(tx, path, state),
        );
        return { ...change, ...notesFrom(notes) };
      },
      origin,
      options,
    );
  }

  settings(): Promise<SiteSettings> {
    return readSettings(this.#store);
  }

  async revisionOf(document: 'navigation' | 'settings'): Promise<number> {
    return (await this.#store.siteDocument(document))?.revision ?? 0;
  }

  updateSettings(
    patch: Partial<SiteSettings>,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    return this.#writer.write(
      async (tx, context) => {
        if (patch.redirects === undefined) {
          const change = await writeSettings(tx, patch, context, options);
          const isShown = patch.accentColor === undefined || !(await hasBrand(tx));
          return isShown ? change : { ...change, ...notesFrom([serverText('design-has-brand')]) };
        }
        const { redirects: former } = await readSettings(tx);
        const change = await writeSettings(tx, patch, context, options);
        const { redirects } = await readSettings(tx);
        const known = new Set(former.split('\n'));
        const added = parseRedirects(redirects).filter(({ from, to }) => !known.has(`${from} ${to}`));
        const notes = await deadRedirects(added, (path, state) => findByPath(tx, path, state));
        return { ...change, ...notesFrom(notes) };
      },
      origin,
      options,
    );
  }

  design(): Promise<DesignState> {
    return readDesign(this.#store);
  }

  updateDesign(
    patch: DesignPatch,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    return this.#writer.write(
      async (tx, context) => {
        const before = await readDesign(tx);
        const change = await writeDesign(tx, patch, context, options);
        const { draft } = await readDesign(tx);
        const known = options?.isPublished ? before.published : before.draft;
        const find: FindByPath = (path, state) => findByPath(tx, path, state);
        const notes = await deadSiteLinks(footerLinks(known), footerLinks(draft), find);
        return { ...change, ...notesFrom(notes) };
      },
      origin,
      options,
    );
  }

  standingInstructions(): Promise<StandingState> {
    return readStanding(this.#store);
  }

  setStandingInstructions(
    instructions: StandingInstructions,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    const countTokens = this.#countTokens;
    return this.#writer.write(
      (tx, context) => writeStanding(tx, instructions, context, { countTokens, ...options }),
      origin,
      options,
    );
  }
}

/** True if the design has a brand colour of its own, so that the one of the settings is not shown. */
async function hasBrand(tx: ContentReader): Promise<boolean> {
  const { published } = await readDesign(tx);
  return published !== null && published.palette.brand !== '';
}
