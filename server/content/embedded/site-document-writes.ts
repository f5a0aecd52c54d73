import { summarizeSettings } from '#server/content/change-summary';
import type { ContentReader, ContentTransaction, SiteDocumentKey } from '#server/content/embedded/content-store';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import { newChange } from '#server/content/embedded/new-change';
import { checkNavigation, navigationSchema } from '#server/content/site-navigation';
import { changedSettings, checkSettingsPatch, DEFAULT_SETTINGS } from '#server/content/site-settings';
import type { ChangeAction, ChangeSet, NavigationItem, SiteSettings } from '#server/core/content';
import { siteSettingsSchema } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

const TITLES: Record<SiteDocumentKey, string> = { navigation: 'Navigation', settings: 'Site settings' };

/** One write to navigation or settings. */
interface SiteDocumentWrite extends WriteContext {
  readonly key: SiteDocumentKey;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly action: ChangeAction;
  readonly summary: string;
}

/** Stores the new value and the journal's record of it. */
export async function commitSiteDocument(tx: ContentTransaction, write: SiteDocumentWrite): Promise<ChangeSet> {
  const { key, before, after, now } = write;
  const revision = ((await tx.siteDocument(key))?.revision ?? 0) + 1;
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

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** See ContentBackend.setNavigation. */
export async function writeNavigation(
  tx: ContentTransaction,
  items: readonly NavigationItem[],
  context: WriteContext,
): Promise<ChangeSet> {
  const after = checkNavigation(items);
  return commitSiteDocument(tx, {
    ...context,
    key: 'navigation',
    before: toJson(await readNavigation(tx)),
    after: toJson(after),
    action: 'update',
    summary: `Set the navigation to ${after.length} ${after.length === 1 ? 'item' : 'items'}`,
  });
}

/** See ContentBackend.updateSettings. */
export async function writeSettings(
  tx: ContentTransaction,
  patch: Partial<SiteSettings>,
  context: WriteContext,
): Promise<ChangeSet> {
  const checked = checkSettingsPatch(patch);
  if (Object.keys(checked).length === 0) throw new InvalidInputError('There is nothing to change.');
  const before = await readSettings(tx);
  const after = { ...before, ...checked };
  return commitSiteDocument(tx, {
    ...context,
    key: 'settings',
    before: toJson(before),
    after: toJson(after),
    action: 'update',
    summary: summarizeSettings(changedSettings(before, after)),
  });
}
