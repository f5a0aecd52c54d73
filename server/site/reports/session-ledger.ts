import type { ContentBackend } from '#server/site/content-backend';
import { valueChanges } from '#server/site/field-changes';
import { fieldName } from '#server/core/site/field-names';
import { stretch } from '#server/core/text/short-text';
import type { LedgerEntry, ValueChange } from '#server/core/conversation/compactions';
import type { PatchOp } from '#server/core/site/content';
import type { ChangeSet } from '#server/core/site/changes';
import type { JsonValue } from '#server/core/json';

/* The changes of one session, as the context engine records them in summaries. */

/**
 * Largest number of newest changes from which a session's ledger is read; a CMS adapter may return fewer in one call.
 */
const MAX_CHANGES = 20_000;

/** The journal of one session as the ledger of the context engine, oldest first. */
export async function readLedger(content: ContentBackend, sessionId: string): Promise<LedgerEntry[]> {
  const changes = (await content.changes({ sessionId, limit: MAX_CHANGES })).toReversed();
  return changes.map((change) => {
    const { targetType, targetId, slug, title, action, undoneBy, createdAt, origin } = change;
    return {
      kind: targetType,
      id: targetId,
      slug,
      title,
      action,
      summary: change.summary,
      values: textsChanged(change),
      undone: undoneBy !== null,
      at: createdAt,
      toolCallId: origin.toolCallId,
    };
  });
}

/** Largest number of texts of one change that are listed; the others can be read on the page. */
const MAX_TEXTS = 2;

/** Maximum characters of a value. Texts that differ only after them are read on the page. */
const VALUE_CHARS = 2_000;

/** The old and new values of the texts that a change has set. */
function textsChanged({ operations, inverse }: ChangeSet): ValueChange[] {
  const former = valuesSet(inverse);
  const changes = [...valuesSet(operations)].flatMap(([key, value]) =>
    former.has(key) ? valueChanges(key.slice(key.indexOf(' ') + 1), former.get(key), value) : [],
  );
  return changes.slice(0, MAX_TEXTS).flatMap((change) => {
    if (typeof change.before !== 'string' || typeof change.after !== 'string') return [];
    const field = fieldName(change.field.split(' › ').at(-1) ?? '');
    const [before, after] = [change.before, change.after].map((text) => stretch(text, 0, VALUE_CHARS)) as [string, string]; // oxfmt-ignore
    return before === after ? [] : [{ field, before, after }];
  });
}

/** Values that operations set, by section and field, without the title, which every summary contains. */
function valuesSet(operations: readonly PatchOp[]) {
  return new Map(
    operations.flatMap((operation) => {
      if (operation.op === 'set' && operation.field !== 'title') return [[` ${operation.field}`, operation.value]];
      if (operation.op !== 'set-section') return [];
      return Object.entries(operation.fields).map(([field, value]) => [`${operation.sectionId} ${field}`, value]);
    }) as [string, JsonValue][],
  );
}
