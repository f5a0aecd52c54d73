import { api } from '#components/api/api-client.ts';
import type { FieldPlace } from '#components/editor/model/places.ts';
import type { PatchOp } from '#server/core/site/content';
import type { ChangedValue } from '#server/core/site/write-checks/write-conflict';

/** Finds who last wrote to a place, according to the newest changes. */
export async function whoWrote(entryId: string, { sectionId, field }: FieldPlace): Promise<ChangedValue['by']> {
  const [name = ''] = field.split('.');
  const isThere = (operation: PatchOp) => {
    if (operation.op === 'set' || operation.op === 'unset') return sectionId === null && operation.field === name;
    if (operation.op === 'set-section')
      return operation.sectionId === sectionId && Object.hasOwn(operation.fields, name);
    return operation.op === 'remove-section' && operation.sectionId === sectionId;
  };
  const changes = await api.changesOf(entryId).catch(() => []);
  return changes.find(({ operations }) => operations.some(isThere))?.origin ?? null;
}
