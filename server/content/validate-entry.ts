import { quotedTitle } from '#server/content/change-summary';
import { type EntryLink, linksOf } from '#server/content/entry-links';
import { createLocator, type Locator, type SiteAddresses } from '#server/content/known-places';
import { linkedAsset, linkedPath } from '#server/content/site-links';
import type { Entry, EntryDocument, Section, ValidationIssue } from '#server/core/content';
import { markdownHtml, sectionsBeyondLimit } from '#server/markup/markdown';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { POSTS_SEGMENT } from '#server/core/posts-segment';

/** A site, and whether a picture of its library is still there. */
export interface CheckedSite extends SiteAddresses {
  hasAsset(id: string): Promise<boolean>;
}

function warning(path: string, message: string): ValidationIssue {
  return { path, message, severity: 'warning' };
}

async function targetProblem(path: string, locate: Locator): Promise<string | null> {
  const published = await locate(path, 'published');
  if (published?.kind === 'entry' || path === `/${POSTS_SEGMENT}`) return null;
  if (published !== null) return `is an old address; it is ${published.to} now`;
  return (await locate(path, 'draft')) === null ? 'leads nowhere' : 'leads to something that is not published';
}

async function linkIssues(link: EntryLink, site: CheckedSite, locate: Locator): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  const asset = linkedAsset(link.href);
  if (asset !== null && !(await site.hasAsset(asset))) {
    issues.push(warning(link.path, `${link.href} was taken out of the media library.`));
  }
  const path = link.kind === 'link' ? linkedPath(link.href) : null;
  const problem = path === null ? null : await targetProblem(path, locate);
  if (problem !== null) issues.push(warning(link.path, `${link.href} ${problem}.`));
  if (link.alt?.trim() === '') issues.push(warning(link.path, `The picture ${link.href} has no description.`));
  return issues;
}

const TOO_HEAVY =
  'It holds more markup than can be shown: visitors see plain words. Split it into several sections, or take out markup that does nothing.';

/** Fields without which a section shows nothing. */
const CONTENT_FIELDS: Partial<Record<Section['type'], string>> = {
  text: 'body',
  gallery: 'images',
  features: 'items',
  faq: 'items',
};

function isEmpty({ type, fields }: Section): boolean {
  const content = fields[CONTENT_FIELDS[type] ?? ''];
  return Array.isArray(content) ? content.length === 0 : typeof content === 'string' && content.trim() === '';
}

/** A text that is shown as plain words: it was stored before there were limits, or came from elsewhere. */
function isTooHeavy({ type, fields }: Section): boolean {
  if (type === 'text' && typeof fields['body'] === 'string') return markdownHtml(fields['body']) === null;
  return type === 'html' && typeof fields['html'] === 'string' && parseHtmlWithinLimits(fields['html']) === null;
}

function textIssues({ excerpt, seo, sections }: EntryDocument): ValidationIssue[] {
  const beyond = sectionsBeyondLimit(sections);
  const isUndescribed = [excerpt, seo?.description].every((text) => (text ?? '').trim() === '');
  return [
    ...(isUndescribed && seo?.noIndex !== true
      ? [warning('excerpt', 'There is neither an excerpt nor a description for search engines.')]
      : []),
    ...(sections.length === 0 ? [warning('sections', 'There are no sections.')] : []),
    ...sections.flatMap((section, index) => [
      ...(isEmpty(section) ? [warning(`sections[${index}]`, `The ${section.type} section is empty.`)] : []),
      ...(isTooHeavy(section) || beyond.has(section.id) ? [warning(`sections[${index}]`, TOO_HEAVY)] : []),
    ]),
  ];
}

function parentIssues({ draft: { parent } }: Entry, entries: readonly Entry[]): ValidationIssue[] {
  if (parent === undefined) return [];
  const above = entries.find(({ id }) => id === parent);
  if (above === undefined) return [warning('parent', 'The page above was deleted.')];
  if (above.published !== null) return [];
  return [warning('parent', `The page above, ${quotedTitle(above.draft.title)}, is not published.`)];
}

function slugIssues({ id, type, draft: { slug } }: Entry, entries: readonly Entry[]): ValidationIssue[] {
  const owner = entries.find((other) => other.id !== id && other.type === type && other.published?.slug === slug);
  if (owner === undefined) return [];
  const message = `${slug} is still published by ${quotedTitle(owner.draft.title)} (${owner.id}).`;
  return [{ path: 'slug', message, severity: 'error' }];
}

/** What is wrong with the draft of an entry, or should be looked at before it is published. */
export async function validateEntry(entry: Entry, site: CheckedSite): Promise<ValidationIssue[]> {
  const locate = createLocator(site);
  const issues = [...slugIssues(entry, site.entries), ...parentIssues(entry, site.entries), ...textIssues(entry.draft)];
  for (const link of linksOf(entry.draft)) issues.push(...(await linkIssues(link, site, locate)));
  return issues;
}
