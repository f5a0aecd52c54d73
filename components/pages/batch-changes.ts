import type { ChangeSet } from '#server/core/site/changes';

/** What to do with the selected entries. */
export type BatchRequest =
  | { readonly action: 'publish' | 'unpublish' | 'trash' }
  | { readonly action: 'author'; readonly author: string }
  | { readonly action: 'move'; readonly parent: string | null }
  | { readonly action: 'tag'; readonly add: readonly string[]; readonly remove: readonly string[] };

/** The actions of the journal that a batch leads to. */
const ACTIONS_OF: Readonly<Record<BatchRequest['action'], readonly ChangeSet['action'][]>> = {
  publish: ['publish'],
  unpublish: ['unpublish', 'schedule'],
  trash: ['delete'],
  tag: ['update'],
  author: ['update'],
  move: ['update'],
};

/** The field that a batch changes; actions that are not listed change none. */
const FIELD_OF: Partial<Record<BatchRequest['action'], string>> = { tag: 'tags', author: 'author', move: 'parent' };

/** True for a change that only this batch of this user can have made, apart from the same by hand at the same time. */
function isOfBatch({ action, origin, operations }: ChangeSet, request: BatchRequest, userId: string | null): boolean {
  const field = FIELD_OF[request.action];
  const isOwn = origin.actor === 'user' && userId !== null && origin.userId === userId;
  const isOfField = field === undefined || operations.every((each) => 'field' in each && each.field === field);
  return isOwn && isOfField && ACTIONS_OF[request.action].includes(action);
}

/** Changes of one page of the journal: those of one request, and as many of others meanwhile. */
export const CHANGES_PER_PAGE = 100;

/** Where to look for what a batch did. */
export interface BatchSearch {
  readonly request: BatchRequest;
  readonly userId: string | null;
  /** Id of the last change before it. */
  readonly after: string;
  /** At most CHANGES_PER_PAGE changes after a change, the oldest first. @throws ApiError */
  readonly readAfter: (id: string) => Promise<readonly ChangeSet[]>;
}

/** The changes of a batch to these entries that the journal has by now, the oldest first. @throws what `readAfter` throws */
export async function findOwnChanges(ids: readonly string[], search: BatchSearch): Promise<ChangeSet[]> {
  const found: ChangeSet[] = [];
  for (let after: string | undefined = search.after; after !== undefined;) {
    const items: readonly ChangeSet[] = await search.readAfter(after);
    found.push(
      ...items.filter((change) => ids.includes(change.targetId) && isOfBatch(change, search.request, search.userId)),
    );
    after = items.length < CHANGES_PER_PAGE ? undefined : items.at(-1)?.id;
  }
  return found;
}

/** What is known of an ended batch. */
interface Known {
  readonly changes: readonly ChangeSet[];
  /** Ids of entries of which it is unknown whether they were changed. */
  readonly uncertain: readonly string[];
}

/** What is known of a batch after a look at the journal for writes that were late; the changes are the oldest first. */
export async function withLateChanges({ changes, uncertain }: Known, search: BatchSearch): Promise<Known> {
  if (uncertain.length === 0) return { changes, uncertain };
  const known = new Set(changes.map(({ id }) => id));
  const late = (await findOwnChanges(uncertain, search)).filter(({ id }) => !known.has(id));
  const all = [...changes, ...late].toSorted((one, other) => one.createdAt - other.createdAt);
  const changed = new Set(all.map(({ targetId }) => targetId));
  return { changes: all, uncertain: uncertain.filter((id) => !changed.has(id)) };
}
