import { toJson } from '#server/core/json';
import { commitSiteDocument, readSettings, settingsFromJson } from '#server/site/embedded/site-settings-writes';
import { changedSettings, DEFAULT_SETTINGS, languageTag } from '#server/site/site-settings';
import type { RemoteSettings } from '#server/wordpress/client/wordpress-client';
import {
  type KnownSettings,
  knownSettingsOf,
  type MirrorTransaction,
  type SiteAccess,
} from '#server/wordpress/mirror/mirror';
import type { PushedTarget, TouchedDocument, TouchedEntry } from '#server/wordpress/mirror/recorded-write';
import type { SiteSettings } from '#server/core/site/content';
import { EXTERNAL } from '#server/wordpress/record-external-change';
import { serverText, nameText } from '#server/core/messages/server-text';
import { keptNote } from '#server/wordpress/mirror/entry-plan';

/** Settings that WordPress does not have. */
const LOCAL_ONLY_SETTINGS = ['contactEmail', 'footerText', 'accentColor', 'language', 'icon', 'redirects'] as const;

/** Settings of WordPress in the form in which the mirror remembers them; `frontPage` 0: the list of posts. */
export function knownOfSettings({ showOnFront, pageOnFront, locale, ...texts }: RemoteSettings): KnownSettings {
  return { ...texts, frontPage: showOnFront === 'page' ? (pageOnFront ?? 0) : 0, language: languageOf(locale) };
}

/** `de-DE` for `de_DE_formal`. English of the United States, with which WordPress is installed, is our default `en`. */
function languageOf(locale: string): string {
  if (locale === '' || locale === 'en_US') return DEFAULT_SETTINGS.language;
  return languageTag(locale.split('_').slice(0, 2).join('-')) ?? DEFAULT_SETTINGS.language;
}

/**
 * The local settings with the values of WordPress.
 * @param homeSlug slug of WordPress's front page in the mirror; null: `homeSlug` does not change
 * @param formerLanguage the language that WordPress had before: one that did not change there stays what it is here
 */
function withRemoteSettings(
  ours: SiteSettings,
  known: KnownSettings,
  homeSlug: string | null,
  formerLanguage = known.language,
): SiteSettings {
  return {
    ...ours,
    ...(known.language !== undefined && known.language !== formerLanguage && { language: known.language }),
    siteName: known.title.trim().slice(0, 120) || ours.siteName,
    tagline: known.description.trim().slice(0, 300),
    ...(homeSlug !== null && { homeSlug }),
  };
}

/**
 * Updates the local settings to those of WordPress, with one change in the journal.
 * @returns false if they were equal and nothing changed
 */
export async function recordSettings(tx: MirrorTransaction, known: KnownSettings, now: number): Promise<boolean> {
  const page = known.frontPage === 0 ? null : await tx.linkByRemote('page', known.frontPage);
  const home = page === null ? null : await tx.entry(page.localId);
  const homeSlug = home === null ? null : (home.published ?? home.draft).slug;
  const before = await readSettings(tx);
  const former = knownSettingsOf(await tx.link('settings'));
  // A link of an earlier version does not know the language: one that was set here is kept.
  const isSetHere = former !== null && former.language === undefined && before.language !== DEFAULT_SETTINGS.language;
  const formerLanguage = isSetHere ? known.language : (former?.language ?? DEFAULT_SETTINGS.language);
  const after = withRemoteSettings(before, known, homeSlug, formerLanguage);
  await tx.saveLink({ kind: 'settings', localId: 'settings', remoteId: 0, known: toJson(known), seenAt: now });
  const changed = changedSettings(before, after);
  if (changed.length === 0) return false;
  await commitSiteDocument(tx, {
    key: 'settings',
    before,
    after,
    action: 'update',
    summary: serverText('journal-wordpress-settings'),
    origin: EXTERNAL,
    now,
  });
  return true;
}

/** The changed settings that WordPress can store. */
async function fieldsFor(
  { mirror }: SiteAccess,
  before: SiteSettings,
  after: SiteSettings,
  { known, entries }: { readonly known: KnownSettings | null; readonly entries: readonly TouchedEntry[] },
): Promise<{ fields: Partial<RemoteSettings>; isHomeUnknown: boolean }> {
  const changed = new Set(changedSettings(before, after));
  // By its new slug, if the same write changes it: the mirror gets it later.
  const renamed = entries.find(
    ({ type, after: { published } }) => type === 'page' && published?.slug === after.homeSlug,
  );
  const home = changed.has('homeSlug') ? (renamed ?? (await mirror.entryBySlug('page', after.homeSlug))) : null;
  const link = home === null ? null : await mirror.link(home.id);
  const isThere = link !== null && link.remoteId === known?.frontPage;
  return {
    isHomeUnknown: changed.has('homeSlug') && link === null,
    fields: {
      ...(changed.has('siteName') && { title: after.siteName }),
      ...(changed.has('tagline') && { description: after.tagline }),
      ...(link !== null && !isThere && { showOnFront: 'page', pageOnFront: link.remoteId }),
    },
  };
}

/** Former settings of WordPress, to write them again. */
function formerFields({ title, description, frontPage }: KnownSettings): Partial<RemoteSettings> {
  const front =
    frontPage === 0
      ? ({ showOnFront: 'posts', pageOnFront: null } as const)
      : ({ showOnFront: 'page', pageOnFront: frontPage } as const);
  return { title, description, ...front };
}

/**
 * Writes settings to WordPress.
 * @param entries the entries that the same write changes
 */
export async function pushSettings(
  site: SiteAccess,
  target: TouchedDocument,
  entries: readonly TouchedEntry[],
): Promise<PushedTarget> {
  const { mirror, client, now } = site;
  const known = knownSettingsOf(await mirror.link('settings'));
  const [before, after] = [settingsFromJson(target.before ?? {}), settingsFromJson(target.after)];
  const { fields, isHomeUnknown } = await fieldsFor(site, before, after, { known, entries });
  const made = Object.keys(fields).length === 0 ? null : knownOfSettings(await client.settings.update(fields));
  const changed = changedSettings(before, after);
  const kept = LOCAL_ONLY_SETTINGS.filter((name) => changed.includes(name)).map((name) => nameText('kept', name));
  const corrected = made !== null && changedSettings(after, withRemoteSettings(after, made, null)).length > 0;
  return {
    addresses: made === null ? [] : [{ kind: 'settings', localId: 'settings', remoteId: 0, address: null }],
    corrected,
    notes: [
      ...keptNote(kept),
      ...(isHomeUnknown ? [serverText('wordpress-front-page-unknown', { slug: after.homeSlug })] : []),
      ...(corrected ? [serverText('wordpress-settings-changed')] : []),
    ],
    async settle(tx) {
      if (made !== null) await recordSettings(tx, made, now());
    },
    async putBack() {
      if (made !== null && known !== null) await client.settings.update(formerFields(known));
    },
  };
}
