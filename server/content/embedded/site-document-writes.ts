import { summarizeMenu, summarizeSettings } from '#server/content/change-summary';
import type { StandingState } from '#server/content/content-backend';
import type { ContentReader, ContentTransaction, WriteContext } from '#server/content/embedded/content-store';
import { newChange } from '#server/content/embedded/entry-state';
import {
  summarizeStanding,
  NO_STANDING_INSTRUCTIONS,
  checkStandingInstructions,
  costNotes,
} from '#server/content/standing-instructions';
import {
  changedSettings,
  checkNavigation,
  checkSettingsPatch,
  DEFAULT_SETTINGS,
  navigationSchema,
} from '#server/content/site-settings';
import {
  type NavigationItem,
  type SiteSettings,
  siteSettingsSchema,
  type StandingInstructions,
  standingInstructionsSchema,
} from '#server/core/content';
import type { ChangeAction, ChangeSet, SiteDocumentKey, WriteNotes, WriteOptions } from '#server/core/changes';
import { standingText } from '#server/core/standing-text';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import { type JsonValue, toJson } from '#server/core/json';

const TITLES: Record<SiteDocumentKey, string> = {
  navigation: 'Menu',
  settings: 'Site settings',
  'standing-instructions': 'Standing instructions',
};

/** One write to the menu, the settings or the standing instructions. */
interface SiteDocumentWrite extends WriteContext {
  readonly key: SiteDocumentKey;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly action: ChangeAction;
  readonly summary: string;
  readonly ifRevision?: number | undefined;
}

/**
 * Stores the new value and the journal's record of it.
 * @throws ConflictError where it is not at revision `ifRevision` any more
 */
export async function commitSiteDocument(tx: ContentTransaction, write: SiteDocumentWrite): Promise<ChangeSet> {
  const { key, before, after, now, ifRevision } = write;
  const present = (await tx.siteDocument(key))?.revision ?? 0;
  if (ifRevision !== undefined && ifRevision !== present) {
    throw new ConflictError(
      `The ${TITLES[key].toLowerCase()} changed meanwhile: revision ${present}, not ${ifRevision}. Read again.`,
      { details: { revision: present } },
    );
  }
  const revision = present + 1;
  const change = await newChange(tx, {
    targetType: key,
    targetId: key,
    slug: null,
    title: TITLES[key],
    revision,
    action: write.action,
    operations: [],
    inverse: [],
    summary: write.summary,
    origin: write.origin,
    createdAt: now,
  });
  await tx.saveSiteDocument(key, { value: after, revision }, now);
  await tx.addJournalEntry({ change, before, after });
  return change;
}

/** The navigation as stored; empty where there is none. */
export async function readNavigation(reader: ContentReader): Promise<NavigationItem[]> {
  const document = await reader.siteDocument('navigation');
  return document === null ? [] : navigationSchema.parse(document.value);
}

/** The settings as stored, completed by defaults. */
export async function readSettings(reader: ContentReader): Promise<SiteSettings> {
  const document = await reader.siteDocument('settings');
  return document === null ? DEFAULT_SETTINGS : settingsFromJson(document.value);
}

/** Settings from a stored value, completed by defaults. */
export function settingsFromJson(value: JsonValue): SiteSettings {
  return { ...DEFAULT_SETTINGS, ...siteSettingsSchema.partial().parse(value) } as SiteSettings;
}

/** See ContentBackend.setNavigation. */
export async function writeNavigation(
  tx: ContentTransaction,
  items: readonly NavigationItem[],
  context: WriteContext,
  { ifRevision }: WriteOptions = {},
): Promise<ChangeSet> {
  const after = checkNavigation(items);
  const before = await readNavigation(tx);
  return commitSiteDocument(tx, {
    ...context,
    ifRevision,
    key: 'navigation',
    before: toJson(before),
    after: toJson(after),
    action: 'update',
    summary: summarizeMenu(before, after),
  });
}

/** See ContentBackend.updateSettings. */
export async function writeSettings(
  tx: ContentTransaction,
  patch: Partial<SiteSettings>,
  context: WriteContext,
  { ifRevision }: WriteOptions = {},
): Promise<ChangeSet> {
  const checked = checkSettingsPatch(patch);
  if (Object.keys(checked).length === 0) throw new InvalidInputError('There is nothing to change.');
  const before = await readSettings(tx);
  const after = { ...before, ...checked };
  if (after.homeSlug !== before.homeSlug) await requirePage(tx, after.homeSlug);
  return commitSiteDocument(tx, {
    ...context,
    ifRevision,
    key: 'settings',
    before: toJson(before),
    after: toJson(after),
    action: 'update',
    summary: summarizeSettings(changedSettings(before, after), before, after),
  });
}

/** @throws InvalidInputError where no page has this slug, or is published under it */
async function requirePage(tx: ContentTransaction, slug: string): Promise<void> {
  const page = (await tx.entryBySlug('page', slug)) ?? (await tx.entryByPublishedSlug('page', slug));
  if (page !== null) return;
  throw new InvalidInputError(`There is no page "${slug}": homeSlug is the slug of the page that visitors see at /.`);
}

/** The standing instructions as stored; all empty, at revision 0, where there are none. */
export async function readStanding(reader: ContentReader): Promise<StandingState> {
  const document = await reader.siteDocument('standing-instructions');
  if (document === null) return { ...NO_STANDING_INSTRUCTIONS, revision: 0 };
  return { ...standingFromJson(document.value), revision: document.revision };
}

/** Standing instructions from a stored value. */
export function standingFromJson(value: JsonValue): StandingInstructions {
  return standingInstructionsSchema.parse(value);
}

/** See ContentBackend.setStandingInstructions. */
export async function writeStanding(
  tx: ContentTransaction,
  instructions: StandingInstructions,
  context: WriteContext,
  options: { readonly countTokens: (text: string) => number; readonly ifRevision?: number | undefined },
): Promise<ChangeSet & WriteNotes> {
  const after = checkStandingInstructions(instructions, options.countTokens);
  const { revision: _revision, ...before } = await readStanding(tx);
  const change = await commitSiteDocument(tx, {
    ...context,
    ifRevision: options.ifRevision,
    key: 'standing-instructions',
    before: toJson(before),
    after: toJson(after),
    action: 'update',
    summary: summarizeStanding(before, after),
  });
  return { ...change, ...costNotes(options.countTokens(standingText(after))) };
}
