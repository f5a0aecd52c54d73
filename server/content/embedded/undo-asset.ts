import { type AssetState, assetStateFromJson } from '#server/content/embedded/asset-state';
import { commitAsset } from '#server/content/embedded/asset-writes';
import type { ContentTransaction, JournalEntry } from '#server/content/embedded/content-store';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import type { ChangeSet } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';

/** What a write to an asset can alter on its own: its bytes go with all that is known of them. */
const FIELD_GROUPS = [
  ['hash', 'mediaType', 'size', 'width', 'height'],
  ['filename'],
  ['alt'],
  ['tags'],
  ['deletedAt'],
] as const satisfies readonly (readonly (keyof AssetState)[])[];
type FieldGroup = (typeof FIELD_GROUPS)[number];

/** All of them where it did not exist before. */
function alteredGroups({ before, after }: JournalEntry): readonly FieldGroup[] {
  const [former, latter] = [assetStateFromJson(before), assetStateFromJson(after)];
  return FIELD_GROUPS.filter((group) =>
    group.some((field) => JSON.stringify(former?.[field]) !== JSON.stringify(latter?.[field])),
  );
}

/** Takes a change to an asset back: what it altered is as it was. What came later must have been looked at before. */
export async function undoAssetChange(
  tx: ContentTransaction,
  record: JournalEntry,
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const id = record.change.targetId;
  const current = await tx.asset(id);
  if (current === null) throw new NotFoundError('picture', id);
  const former = assetStateFromJson(record.before);
  const restored = Object.fromEntries(
    former === null ? [] : alteredGroups(record).flatMap((group) => group.map((field) => [field, former[field]])),
  ) as Partial<AssetState>;
  const after = { ...current, ...(former === null ? { deletedAt: context.now } : restored) };
  const { change } = await commitAsset(tx, { ...context, id, before: current, after, action: 'undo', summary });
  return change;
}
