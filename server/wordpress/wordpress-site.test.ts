import { expect, it } from 'vitest';
import { Site } from '#server/site/site';
import { WordPressSite } from '#server/wordpress/wordpress-site';

/** Methods of a site that this adapter takes over unchanged. */
const WITHOUT_REFRESH = {
  // The same for all content.
  types: true,
  type: true,
  // Of an entry that the caller has read.
  pathOf: true,
  previewUrl: true,
  // Between versions that are stored here.
  differences: true,
  // The theme decides; there is none of ours.
  design: true,
  // Read beside the menu, which is refreshed.
  hiddenMenuItems: true,
  // WordPress has no redirects that people enter.
  redirects: true,
  // Only this program writes them.
  standingInstructions: true,
  setStandingInstructions: true,
  // Of the journal: of a change that the caller has read, or that an assistant has made.
  change: true,
  newestStanding: true,
  at: true,
  // The mirrored store takes over changes from WordPress before it stores a write.
  create: true,
  patchAll: true,
  trash: true,
  restore: true,
  schedule: true,
  unpublish: true,
  discardDraft: true,
  updateSettings: true,
} satisfies Partial<Record<keyof Site, true>>;

it('overrides every method of a site that is not known to need no refresh', () => {
  const own = new Set(Object.getOwnPropertyNames(WordPressSite.prototype));
  const inherited = Object.getOwnPropertyNames(Site.prototype).filter((name) => !own.has(name));
  expect(inherited.toSorted()).toEqual(Object.keys(WITHOUT_REFRESH).toSorted());
});
