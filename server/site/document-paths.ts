import type { PatchOp } from '#server/core/site/content';
import type { ChangeSet } from '#server/core/site/changes';
import type { FieldPlace } from '#server/core/site/write-checks/write-conflict';

/* Paths name the places of a target that a change touches, so that changes to different places can be undone
   independently. A path contains the paths that continue it after a colon. */

/** The path of the whole target, which creation and moves into and out of the trash touch. */
export const WHOLE_TARGET = '';

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

/** Paths that operations touch: `field:title`, `section:sec_1`, `section:sec_1:heading`. */
export function pathsOf(operations: readonly PatchOp[]): string[] {
  return operations.flatMap(touchedBy);
}

function contains(path: string, other: string): boolean {
  return path === WHOLE_TARGET || path === other || other.startsWith(`${path}:`);
}

/** True if a change wrote to a field (of the entry, or with `sectionId` of a section), or to the whole section. */
export function touches({ operations }: ChangeSet, { sectionId, field }: FieldPlace): boolean {
  const path = sectionId === null ? `field:${field}` : `section:${sectionId}`;
  const exact = field === null || sectionId === null ? path : `${path}:${field}`;
  return pathsOf(operations).some(
    (touched) => touched === path || touched === exact || touched.startsWith(`${exact}:`),
  );
}

/** True if a path of one list contains a path of the other. */
export function pathsOverlap(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((path) => others.some((other) => contains(path, other) || contains(other, path)));
}
