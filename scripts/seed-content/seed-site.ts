import { commissions } from '#scripts/seed-content/pages/commissions';
import { contact } from '#scripts/seed-content/pages/contact';
import { firingClub } from '#scripts/seed-content/pages/firing-club';
import { home } from '#scripts/seed-content/pages/home';
import { ourStory } from '#scripts/seed-content/pages/our-story';
import { visitUs } from '#scripts/seed-content/pages/visit-us';
import { winterSale } from '#scripts/seed-content/pages/winter-sale';
import { workshops } from '#scripts/seed-content/pages/workshops';
import { aGlazeCalledSaltmarsh } from '#scripts/seed-content/posts/a-glaze-called-saltmarsh';
import { diggingClay } from '#scripts/seed-content/posts/digging-clay';
import { eightyPlates } from '#scripts/seed-content/posts/eighty-plates';
import { howToLookAfterStoneware } from '#scripts/seed-content/posts/how-to-look-after-stoneware';
import { theKilnAndTheWrens } from '#scripts/seed-content/posts/the-kiln-and-the-wrens';
import { whatBeginnersTeachUs } from '#scripts/seed-content/posts/what-beginners-teach-us';
import { whyWeFireOnce } from '#scripts/seed-content/posts/why-we-fire-once';
import { winterHours } from '#scripts/seed-content/posts/winter-hours';
import { navigation, settings } from '#scripts/seed-content/site';
import type { ContentBackend, NewEntry } from '#server/content/content-backend';
import type { ChangeOrigin, Entry } from '#server/core/content';

const origin: ChangeOrigin = { actor: 'seed' };

const publishedPages = [home, workshops, ourStory, commissions, firingClub, visitUs, contact];
/** Oldest first. */
const publishedPosts = [
  theKilnAndTheWrens,
  diggingClay,
  eightyPlates,
  howToLookAfterStoneware,
  whatBeginnersTeachUs,
  whyWeFireOnce,
  aGlazeCalledSaltmarsh,
  winterHours,
];
const drafts = [winterSale];

/** What a seed made; `seeded` is false where there was a site already. */
export interface SeedResult {
  readonly seeded: boolean;
  readonly pages: number;
  readonly posts: number;
  /** On pages. */
  readonly sections: number;
}

/** More than a seed writes. */
const MANY_CHANGES = 100;

/** Nothing was ever written but by a seed that ended before its last write, which is the settings. */
async function isUnfinished(content: ContentBackend): Promise<boolean> {
  const changes = await content.changes({ limit: MANY_CHANGES });
  return changes.every(({ origin: { actor }, targetType }) => actor === 'seed' && targetType !== 'settings');
}

/** The entry as it is there from an earlier run, or created now. */
async function findOrCreate(content: ContentBackend, entry: NewEntry): Promise<Entry> {
  const present = await content.find(entry.slug ?? entry.title, entry.type);
  return present ?? (await content.create(entry, origin)).entry;
}

/**
 * Fills an empty site with the demo: a small pottery's pages, posts, navigation and settings, published but for one
 * draft. Completes what a seed that was killed has begun. A site on which anybody else ever wrote stays as it is.
 */
export async function seedSite(content: ContentBackend): Promise<SeedResult> {
  if (!(await isUnfinished(content))) return { seeded: false, pages: 0, posts: 0, sections: 0 };
  for (const entry of [...publishedPages, ...publishedPosts]) {
    const { id, status } = await findOrCreate(content, entry);
    if (status !== 'published') await content.publish(id, origin);
  }
  for (const entry of drafts) await findOrCreate(content, entry);
  await content.setNavigation(navigation, origin);
  await content.updateSettings(settings, origin);
  const pages = [...publishedPages, ...drafts];
  const sections = pages.reduce((sum, page) => sum + (page.sections?.length ?? 0), 0);
  return { seeded: true, pages: pages.length, posts: publishedPosts.length, sections };
}
