import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { type NotesOfWrite, notesFrom, textsOfNotes } from '#server/core/message-data';
import type { ChangeOrigin, ChangeSet, WriteNotes } from '#server/core/site/changes';
import type { SectionContent, SiteSettings } from '#server/core/site/content';
import { changedParts, DEFAULT_DESIGN, type Design } from '#server/core/site/design/design';
import { withKitDesign } from '#server/core/site/starter/kit-designs';
import type { StartResult } from '#server/core/site/starter/starter';
import type { StarterKitName } from '#server/core/site/starter/starter-kits';
import type { ContentBackend, NewEntry } from '#server/site/content-backend';
import { loadKit, type StarterKit } from '#server/site/starter/load-kit';

/** The kit of a new site, and the answers of its owner. */
interface StartRequest {
  readonly kit: StarterKitName;
  /** Default: the one that is set. */
  readonly siteName?: string | undefined;
  readonly what?: string | undefined;
  readonly audience?: string | undefined;
  readonly action?: string | undefined;
  /** Language tag. Default: the one that is set. */
  readonly language?: string | undefined;
  /** The only step to make. Default: all of them. */
  readonly step?: number | undefined;
}

/**
 * Makes the first pages of an empty site and its design as drafts, a page in each step; the first step also writes the settings
 * and the design, the last one the menu. Each change is in the journal.
 * @throws InvalidInputError if the site has other pages or posts, or there is no such step
 */
export async function startSite(
  content: ContentBackend,
  request: StartRequest,
  origin: ChangeOrigin,
): Promise<StartResult> {
  const settings = await content.settings();
  const kit = await loadKit(request.kit, request.language ?? settings.language);
  const total = kit.pages.length;
  const { step: only } = request;
  if (only !== undefined && only >= total)
    throw new InvalidInputError(serverText('start-step-unknown', { count: total }));
  const steps = only === undefined ? [...kit.pages.keys()] : [only];
  await requireBegun(content, kit.pages.slice(0, steps[0]), settings.homeSlug);
  const changes: ChangeSet[] = [];
  const written: NotesOfWrite[] = [];
  const keep = ({ notes, noteMessages, ...change }: ChangeSet & WriteNotes) => {
    changes.push(change);
    written.push({ notes, noteMessages });
  };
  for (const step of steps) {
    if (step === 0) keep(await content.updateSettings(settingsOf(kit, request, settings), origin));
    const page = step === 0 ? homePage(kit, request, settings.homeSlug) : kit.pages[step]!;
    const { change, notes, noteMessages } = await content.create({ type: 'page', ...page }, origin);
    keep({ ...change, notes, noteMessages });
    // After the page: without it, the site could begin again with another kit, and would keep this design.
    const design = step === 0 ? await designToSet(content, request.kit) : null;
    if (design !== null) keep(await content.updateDesign(design, origin));
    // A menu that somebody has made meanwhile stays.
    if (step === total - 1 && (await content.navigation()).length === 0)
      keep(await content.setNavigation(menuOf(kit), origin));
  }
  const last = steps.at(-1)!;
  return {
    changes,
    ...notesFrom(written.flatMap(textsOfNotes)),
    pages: steps.map((step) => kit.pages[step]!.title),
    total,
    next: last + 1 < total ? last + 1 : null,
  };
}

/** @throws InvalidInputError unless the site has the pages of the steps before, and nothing else */
async function requireBegun(content: ContentBackend, before: StarterKit['pages'], homeSlug: string): Promise<void> {
  const expected = before.map(({ slug }, index) => (index === 0 ? homeSlug : slug));
  const [pages, posts] = await Promise.all([
    content.query({ type: 'page', limit: expected.length + 1 }),
    content.query({ type: 'post', limit: 1 }),
  ]);
  const present = new Set(pages.items.map(({ slug }) => slug));
  const isBegun = present.size === expected.length && expected.every((slug) => present.has(slug));
  if (!isBegun || posts.items.length > 0) throw new InvalidInputError(serverText('site-not-empty'));
}

/** The settings to write: answers, and values of the kit for settings that nobody has changed. */
function settingsOf(
  { tagline }: StarterKit,
  { siteName, what, language }: StartRequest,
  present: SiteSettings,
): Partial<SiteSettings> {
  return {
    ...(siteName !== undefined && { siteName }),
    ...((what !== undefined || present.tagline === '') && { tagline: what ?? tagline }),
    language: language ?? present.language,
  };
}

/** The design of the kit; null if somebody has already chosen one, or the site has none here. */
async function designToSet(content: ContentBackend, kit: StarterKitName): Promise<Design | null> {
  if (!content.capabilities().design) return null;
  const { draft } = await content.design();
  const isChosen = changedParts(DEFAULT_DESIGN, draft).some((part) => part !== 'logo' && part !== 'icon');
  return isChosen ? null : withKitDesign(draft, kit);
}

/** The start page with the answers of the owner instead of the kit's texts. */
function homePage(
  { pages: [home], audienceHeading }: StarterKit,
  { what, audience, action }: StartRequest,
  slug: string,
): Omit<NewEntry, 'type'> {
  const { title, excerpt, sections } = home!;
  // Where visitors do what the action says; the button of the kit's hero may lead elsewhere.
  const target = sections.find(({ type }) => type === 'call-to-action')?.fields['buttonHref'];
  const answered = sections.map(({ type, fields }, index): SectionContent => {
    if (index === 0) {
      const own = {
        ...(what !== undefined && { subheading: what }),
        ...(action !== undefined && { ctaLabel: action, ...(target !== undefined && { ctaHref: target }) }),
      };
      return { type, fields: { ...fields, ...own } };
    }
    if (type === 'call-to-action' && action !== undefined) return { type, fields: { ...fields, buttonLabel: action } };
    return { type, fields };
  });
  const forWhom: SectionContent[] =
    audience === undefined
      ? []
      : [{ type: 'text', fields: { heading: audienceHeading, body: audience, layout: 'heading-beside' } }];
  return { title, slug, excerpt: what ?? excerpt, sections: answered.toSpliced(1, 0, ...forWhom) };
}

function menuOf({ pages }: StarterKit) {
  return pages.slice(1).map(({ title, slug }) => ({ label: title, href: `/${slug}` }));
}
