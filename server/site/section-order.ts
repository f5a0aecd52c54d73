import type { PatchOp } from '#server/core/site/content';

/* Computes the order of an entry's sections after changes and undos in any order. */

/** One change to the order of sections, or the undo of one. */
interface OrderStep {
  readonly id: string;
  /** Id of the step that this one undoes; null: the step applies its operations. */
  readonly undoes: string | null;
  readonly operations: readonly PatchOp[];
}

/**
 * A place in the order to which a section was put. The place remains when the section leaves it, so that an undo can return
 * the section to it.
 */
interface SectionPlace {
  readonly sectionId: string;
  isTaken: boolean;
}

/** The places that a step left and took, in order. */
interface Move {
  readonly left: SectionPlace | undefined;
  readonly taken: SectionPlace | undefined;
}

/** All places that sections ever had, in one order that never changes. */
class Places {
  readonly #places: SectionPlace[];

  constructor(sectionIds: readonly string[]) {
    this.#places = sectionIds.map((sectionId) => ({ sectionId, isTaken: true }));
  }

  get order(): string[] {
    return this.#places.filter(({ isTaken }) => isTaken).map(({ sectionId }) => sectionId);
  }

  /** Frees the place of a section; undefined if the section has none. */
  leave(sectionId: string): SectionPlace | undefined {
    const place = this.#places.find((each) => each.isTaken && each.sectionId === sectionId);
    if (place !== undefined) place.isTaken = false;
    return place;
  }

  /** Creates a place for a section, directly after the section that is at `index - 1` now. */
  take(sectionId: string, index: number): SectionPlace {
    const place = { sectionId, isTaken: true };
    const taken = this.#places.filter(({ isTaken }) => isTaken);
    const former = taken[Math.min(index, taken.length) - 1];
    this.#places.splice(former === undefined ? 0 : this.#places.indexOf(former) + 1, 0, place);
    return place;
  }
}

function moveFor(places: Places, operation: PatchOp): Move[] {
  switch (operation.op) {
    case 'insert-section':
      return [{ left: undefined, taken: places.take(operation.section.id, operation.index ?? Infinity) }];
    case 'remove-section':
      return [{ left: places.leave(operation.sectionId), taken: undefined }];
    case 'move-section': {
      const left = places.leave(operation.sectionId);
      return [{ left, taken: places.take(operation.sectionId, operation.index) }];
    }
    default:
      return [];
  }
}

function reversed(moves: readonly Move[]): Move[] {
  return moves.map(({ left, taken }) => ({ left: taken, taken: left })).toReversed();
}

function applyMove({ left, taken }: Move): void {
  if (left !== undefined) left.isTaken = false;
  if (taken !== undefined) taken.isTaken = true;
}

/**
 * The order of sections after steps, which are replayed from the order before them. The indexes of a step refer to the
 * order at that step. Undoing a step returns its sections to their former places, between the sections that exist
 * then. So the result depends only on which steps are in effect, not on the order in which others were undone.
 * @param sectionIds ids in the order before the first step
 * @returns ids in the order after the last step
 */
export function orderAfter(sectionIds: readonly string[], steps: readonly OrderStep[]): string[] {
  const places = new Places(sectionIds);
  const done = new Map<string, readonly Move[]>();
  for (const { id, undoes, operations } of steps) {
    const former = undoes === null ? undefined : done.get(undoes);
    const moves =
      former === undefined ? operations.flatMap((operation) => moveFor(places, operation)) : reversed(former);
    if (former !== undefined) moves.forEach(applyMove);
    done.set(id, moves);
  }
  return places.order;
}
