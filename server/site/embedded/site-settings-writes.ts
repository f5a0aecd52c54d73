import { summarizeMenu, summarizeSettings } from '#server/site/change-summary';
import type { DocumentWriteOptions, StandingState } from '#server/site/content-backend';
import { requireDocumentUnchanged, type WriteConditions } from '#server/site/concurrent-changes';
import {
  type ContentReader,
  type ContentTransaction,
  type WriteContext,
  newChange,
} from '#server/site/embedded/content-store';
import { checkStandingInstructions, costNotes, NO_STANDING_INSTRUCTIONS } from '#server/site/standing-instructions';
import {
  changedSettings,
  checkNavigation,
  checkSettingsPatch,
  DEFAULT_SETTINGS,
  navigationFromJson,
} from '#server/site/site-settings';
import { type NavigationItem, type SiteSettings, siteSettingsSchema } from '#server/core/site/content';
import { type StandingInstructions, standingInstructionsSchema } from '#server/core/site/standing-instructions';
import type { ChangeAction, ChangeSet, SiteDocumentKey, WriteNotes } from '#server/core/site/changes';
import { standingText } from '#server/core/site/standing-text';
import { InvalidInputError } from '#server/core/errors';
import { type JsonValue, toJson } from '#server/core/json';
import { serverText } from '#server/core/messages/server-text';
import { summarizeStanding } from '#server/site/standing-changes';
import type { ServerText } from '#server/core/coded-message';

/* Reads and writes the three site documents: menu, settings and standing instructions. */

const TITLES: Record<SiteDocumentKey, string> = {
  navigation: 'Menu',
  settings: 'Site settings',
  'standing-instructions': 'Standing instructions',
  design: 'Design',
};

/** One write to the menu, the settings or the standing instructions. */
interface SiteDocumentWrite extends WriteContext {
  readonly key: SiteDocumentKey;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly action: ChangeAction;
  readonly summary: ServerText;
  readonly conditions?: WriteConditions;
}

/**
 * Stores the new value and its journal entry.
 * @throws ConflictError if somebody else has changed it, see `requireDocumentUnchanged`
 */
export async function commitSiteDocument(tx: ContentTransaction, write: SiteDocumentWrite): Promise<ChangeSet> {
  const { key, before, after, origin, now, conditions = {} } = write;
  const present = (await tx.siteDocument(key))?.revision ?? 0;
  const name = TITLES[key].toLowerCase();
  const journal = (above: number) => tx.journalOf(key, above);
  await requireDocumentUnchanged({ id: key, name, revision: present, before, after, origin, journal }, conditions);
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
    origin,
    createdAt: now,
  });
  await tx.saveSiteDocument(key, { value: after, revision }, now);
  await tx.addJournalEntry({ change, before, after });
  return change;
}

/** The stored navigation; empty if none is stored. */
export async function readNavigation(reader: ContentReader): Promise<NavigationItem[]> {
  const document = await reader.siteDocument('navigation');
  return document === null ? [] : navigationFromJson(document.value);
}

/** The stored settings, completed by defaults. */
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
  conditions: DocumentWriteOptions = {},
): Promise<ChangeSet> {
  const after = checkNavigation(items);
  const before = await readNavigation(tx);
  return commitSiteDocument(tx, {
    ...context,
    conditions,
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
  conditions: DocumentWriteOptions = {},
): Promise<ChangeSet> {
  const checked = checkSettingsPatch(patch);
  if (Object.keys(checked).length === 0) throw new InvalidInputError(serverText('nothing-to-change'));
  const before = await readSettings(tx);
  const after = { ...before, ...checked };
  if (after.homeSlug !== before.homeSlug) await requirePage(tx, after.homeSlug);
  return commitSiteDocument(tx, {
    ...context,
    conditions,
    key: 'settings',
    before: toJson(before),
    after: toJson(after),
    action: 'update',
    summary: summarizeSettings(changedSettings(before, after), before, after),
  });
}

/** @throws InvalidInputError if no page has this slug in its draft or its published version */
async function requirePage(tx: ContentTransaction, slug: string): Promise<void> {
  const page = (await tx.entryBySlug('page', slug)) ?? (await tx.entryByPublishedSlug('page', slug));
  if (page !== null) return;
  throw new InvalidInputError(serverText('home-unknown', { slug }));
}

/** The stored standing instructions; all empty, at revision 0, if none are stored. */
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
  options: WriteConditions & { readonly countTokens: (text: string) => number },
): Promise<ChangeSet & WriteNotes> {
  const after = checkStandingInstructions(instructions, options.countTokens);
  const { revision: _revision, ...before } = await readStanding(tx);
  const change = await commitSiteDocument(tx, {
    ...context,
    conditions: options,
    key: 'standing-instructions',
    before: toJson(before),
    after: toJson(after),
    action: 'update',
    summary: summarizeStanding(before, after),
  });
  return { ...change, ...costNotes(options.countTokens(standingText(after))) };
}
