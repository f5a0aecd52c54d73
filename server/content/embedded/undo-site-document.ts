import type { ContentTransaction, JournalEntry } from '#server/content/embedded/content-store';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import {
  commitSiteDocument,
  readNavigation,
  readSettings,
  readStanding,
  settingsFromJson,
  standingFromJson,
} from '#server/content/embedded/site-document-writes';
import { changedSettings } from '#server/content/site-settings';
import { withoutStandingChange } from '#server/content/standing-changes';
import type { ChangeSet, SiteDocumentKey } from '#server/core/content';
import { ConflictError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

interface Values {
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** The present value, and what it is without one change: the rest of it stays as it is by now. */
const withoutChange: Record<SiteDocumentKey, (tx: ContentTransaction, record: JournalEntry) => Promise<Values>> = {
  navigation: async (tx, record) => ({ before: toJson(await readNavigation(tx)), after: record.before }),

  settings: async (tx, record) => {
    const before = await readSettings(tx);
    const former = settingsFromJson(record.before);
    const names = changedSettings(former, settingsFromJson(record.after));
    const after = { ...before, ...Object.fromEntries(names.map((name) => [name, former[name]])) };
    return { before: toJson(before), after: toJson(after) };
  },

  'standing-instructions': async (tx, record) => {
    const { revision: _revision, ...before } = await readStanding(tx);
    const after = withoutStandingChange(before, standingFromJson(record.before), standingFromJson(record.after));
    if (after === null) throw new ConflictError(`${record.change.summary}: it was changed again since.`);
    return { before: toJson(before), after: toJson(after) };
  },
};

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** Takes a change to a site document back. What came later must have been looked at before. */
export async function undoSiteDocumentChange(
  tx: ContentTransaction,
  key: SiteDocumentKey,
  record: JournalEntry,
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const values = await withoutChange[key](tx, record);
  return commitSiteDocument(tx, { ...context, ...values, key, action: 'undo', summary });
}
