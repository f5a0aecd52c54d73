import type { PatchOp } from '#server/core/content';

/** One change to an order, or the taking back of one. */
export interface OrderStep {
  readonly id: string;
  /** The step that it takes back; null: its operations say what it does. */
  readonly undoes: string | null;
  readonly operations: readonly PatchOp[];
}

/** A place that a section was put to. It stays when the section leaves, so that it can come back to it. */
interface Place {
  readonly sectionId: string;
  isTaken: boolean;
}

/** Places that a step gave up and took, in its order. */
interface Move {
  readonly left: Place | undefined;
  readonly taken: Place | undefined;
}

/** All places that sections ever had, in one order that never changes. */
class Places {
  readonly #places: Place[];

  constructor(sectionIds: readonly string[]) {
    this.#places = sectionIds.map((sectionId) => ({ sectionId, isTaken: true }));
  }

  get order(): string[] {
    return this.#places.filter(({ isTaken }) => isTaken).map(({ sectionId }) => sectionId);
  }

  leave(sectionId: string): Place | undefined {
    const place = this.#places.find((each) => each.isTaken && each.sectionId === sectionId);
    if (place !== undefined) place.isTaken = false;
    return place;
  }

  /** Right after what is at `index - 1` now. */
  take(sectionId: string, index: number): Place {
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

function goBack({ left, taken }: Move): void {
  if (left !== undefined) left.isTaken = false;
  if (taken !== undefined) taken.isTaken = true;
}

/**
 * The order of sections after some steps, from the order before them. Indexes mean what they meant when the step was
 * made; taking a step back gives its sections the places that they had, among whatever is there by then. So the order
 * only depends on which steps stand, not on the order in which others were taken back.
 */
export function orderAfter(sectionIds: readonly string[], steps: readonly OrderStep[]): string[] {
  const places = new Places(sectionIds);
  const done = new Map<string, readonly Move[]>();
  for (const { id, undoes, operations } of steps) {
    const former = undoes === null ? undefined : done.get(undoes);
    const moves =
      former === undefined ? operations.flatMap((operation) => moveFor(places, operation)) : reversed(former);
    if (former !== undefined) moves.forEach(goBack);
    done.set(id, moves);
  }
  return places.order;
}
