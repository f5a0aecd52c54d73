import type { PatchOp } from '#server/core/content';

/** Everything about its target: its coming into being, its way into the trash and out of it. */
export const WHOLE_TARGET = '';

/** What one operation touches, as a path: `field:title`, `section:sec_1`, `section:sec_1:heading`. */
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

/** What operations touch, as paths; a path contains what is below it. */
export function pathsOf(operations: readonly PatchOp[]): string[] {
  return operations.flatMap(touchedBy);
}

function contains(path: string, other: string): boolean {
  return path === WHOLE_TARGET || path === other || other.startsWith(`${path}:`);
}

/** Whether something of one lies in the other. */
export function pathsOverlap(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((path) => others.some((other) => contains(path, other) || contains(other, path)));
}
