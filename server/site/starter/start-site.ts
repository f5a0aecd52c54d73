import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { type NotesOfWrite, notesFrom, textsOfNotes } from '#server/core/message-data';
import type { ChangeOrigin, ChangeSet, WriteNotes } from '#server/core/site/changes';
import type { SectionContent } from '#server/core/site/content';
import type { StartResult } from '#server/core/site/starter';
import type { StarterKitName } from '#server/core/site/starter-kits';
import type { ContentBackend, NewEntry } from '#server/site/content-backend';
import { loadKit, type StarterKit } from '#server/site/starter/load-kit';

/** The kit of a new site, and the answers of its owner. */
interface StartRequest {
  readonly kit: StarterKitName;
  readonly siteName: string;
  readonly what?: string | undefined;
  readonly audience?: string | undefined;
  readonly action?: string | undefined;
  /** Language tag. Default: the one that is set. */
  readonly language?: string | undefined;
  /** The only step to make. Default: all of them. */
  readonly step?: number | undefined;
}

/**
 * Makes the first pages of an empty site as drafts, a page in each step; the first step also writes the settings, the last
 * one the menu. Each change is in the journal.
 * @throws InvalidInputError if the site has pages or posts, or there is no such step
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
  if (steps[0] === 0) await requireEmpty(content);
  const changes: ChangeSet[] = [];
  const written: NotesOfWrite[] = [];
  const keep = ({ notes, noteMessages, ...change }: ChangeSet & WriteNotes) => {
    changes.push(change);
    written.push({ notes, noteMessages });
  };
  for (const step of steps) {
    if (step === 0) keep(await writeSettings(content, kit, request, origin));
    const page = step === 0 ? homePage(kit, request, settings.homeSlug) : kit.pages[step]!;
    const { change, notes, noteMessages } = await content.create({ type: 'page', ...page }, origin);
    keep({ ...change, notes, noteMessages });
    if (step === total - 1) keep(await content.setNavigation(menuOf(kit), origin));
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

async function requireEmpty(content: ContentBackend): Promise<void> {
  for (const type of ['page', 'post'] as const) {
    const { items } = await content.query({ type, limit: 1 });
    if (items.length > 0) throw new InvalidInputError(serverText('site-not-empty'));
  }
}

function writeSettings(
  content: ContentBackend,
  { tagline, accentColor }: StarterKit,
  { siteName, what = tagline, language }: StartRequest,
  origin: ChangeOrigin,
): Promise<ChangeSet & WriteNotes> {
  const wanted = { siteName, tagline: what, accentColor, ...(language !== undefined && { language }) };
  return content.updateSettings(wanted, origin);
}

/** The start page with the answers of the owner in the place of the kit's texts. */
function homePage(
  { pages: [home], audienceHeading }: StarterKit,
  { what, audience, action }: StartRequest,
  slug: string,
): Omit<NewEntry, 'type'> {
  const { title, excerpt, sections } = home!;
  const answered = sections.map(({ type, fields }): SectionContent => {
    if (type === 'hero') {
      const own = {
        ...(what !== undefined && { subheading: what }),
        ...(action !== undefined && { ctaLabel: action }),
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
