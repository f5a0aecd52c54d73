import type { ContentBackend } from '#server/content/content-backend';
import type { ChangeOrigin, Entry } from '#server/core/content';
import { CancelledError, ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { Addresses } from '#server/import/addresses';
import type { ImportPlan } from '#server/import/plan';

/** What whoever imports chose. */
export interface ImportOptions {
  /** Pictures are fetched from where they are. */
  readonly pictures: boolean;
  /** The name of the site too, and the menu in place of the one there is. */
  readonly settings: boolean;
}

/** What an earlier import made of a thing of the same source. */
export interface KnownItem {
  readonly sourceKey: string;
  readonly localId: string;
  /** Empty: it was not through. */
  readonly hash: string;
  readonly revision: number;
}

/** What all steps of an import share. */
export interface ImportWork {
  readonly plan: ImportPlan;
  readonly options: ImportOptions;
  readonly content: ContentBackend;
  readonly origin: ChangeOrigin;
  readonly known: ReadonlyMap<string, KnownItem>;
  /** Null: nothing is written at all. */
  readonly remember: ((item: KnownItem) => Promise<void>) | null;
  readonly addresses: Addresses;
  /** What was made by an import that ended before it could remember it. */
  readonly orphan: Entry | null;
  readonly signal: AbortSignal;
  /** Something has become of one more thing. */
  readonly onProgress: () => void;
}

/** @throws CancelledError where the import is to end */
export function checkGoesOn({ signal }: Pick<ImportWork, 'signal'>): void {
  if (signal.aborted) throw new CancelledError('The import was cancelled.');
}

/** Why one thing cannot be taken, as a sentence; what speaks against the whole import is thrown again. */
export function refusalOf(error: unknown): string {
  const isForeseen =
    error instanceof InvalidInputError || error instanceof ConflictError || error instanceof NotFoundError;
  if (!isForeseen) throw error;
  return error.message;
}

/** Whether nobody but imports (and plans that came due) wrote a thing since a revision of it. */
export async function isUntouched(
  { content }: Pick<ImportWork, 'content'>,
  { localId, revision }: KnownItem,
  present: number,
): Promise<boolean> {
  if (present <= revision) return true;
  const since = (await content.changes({ targetId: localId, limit: present - revision })).filter(
    (change) => change.revision > revision,
  );
  return since.every(({ origin: { actor } }) => actor === 'import' || actor === 'schedule');
}
