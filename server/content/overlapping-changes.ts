import type { PatchOp } from '#server/core/content';

/** What one operation touches, as paths: `field:title`, `section:sec_1`, `section:sec_1:heading`. */
function touchedBy(operation: PatchOp): string[] {
  switch (operation.op) {
    case 'set':
    case 'unset':
      return [`field:${operation.field}`];
    case 'insert-section':
      return [`section:${operation.section.id}`];
    case 'remove-section':
      return [`section:${operation.sectionId}`];
    case 'move-section':
      return [`section:${operation.sectionId}:(position)`];
    case 'set-section':
      return Object.keys(operation.fields).map((name) => `section:${operation.sectionId}:${name}`);
  }
}

function contains(path: string, other: string): boolean {
  return path === other || other.startsWith(`${path}:`);
}

/** Whether taking back `earlier` would also lose something that `later` did. */
export function operationsOverlap(earlier: readonly PatchOp[], later: readonly PatchOp[]): boolean {
  const touched = later.flatMap(touchedBy);
  return earlier
    .flatMap(touchedBy)
    .some((path) => touched.some((other) => contains(path, other) || contains(other, path)));
}
