import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextRedo, nextUndo } from '#components/editor/model/undo-redo.ts';
import type { ChangeSet } from '#server/core/site/changes';

interface Row {
  readonly id: string;
  readonly action: 'update' | 'undo';
  readonly isOwn: boolean;
  undoneBy: string | null;
}

/** A journal as the server keeps it: chains of a change, what took it back, what brought it back, and so on. */
class Journal {
  readonly #rows: Row[] = [];
  readonly #chains: Row[][] = [];

  get changes(): readonly ChangeSet[] {
    return this.#rows.map((row) => row as unknown as ChangeSet).toReversed();
  }

  /** Changes that are in effect. */
  get standing(): ReadonlySet<string> {
    return new Set(this.#chains.flatMap(([first, ...later]) => (later.length % 2 === 0 && first ? [first.id] : [])));
  }

  readonly isOwn = ({ id }: Pick<ChangeSet, 'id'>): boolean => this.#rows.some((row) => row.id === id && row.isOwn);

  add(isOwn: boolean): string {
    const row = this.#append('update', isOwn);
    this.#chains.push([row]);
    return row.id;
  }

  /** Undoes the newest change of the chain that contains a change. */
  takeBack(id: string): void {
    const chain = this.#chains.find((rows) => rows.some((row) => row.id === id))!;
    const undo = this.#append('undo', true);
    chain.at(-1)!.undoneBy = undo.id;
    const [first] = chain;
    if (first && chain.length > 1) first.undoneBy = chain.length % 2 === 0 ? null : undo.id;
    chain.push(undo);
  }

  #append(action: Row['action'], isOwn: boolean): Row {
    const row: Row = { id: `chg_${this.#rows.length}`, action, isOwn, undoneBy: null };
    this.#rows.push(row);
    return row;
  }
}

it('undoes and redoes like an editor, any number of times, and keeps changes of others', () => {
  const steps = fc.array(fc.constantFrom('add', 'other', 'undo', 'undo', 'redo', 'redo'), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (all) => {
      const journal = new Journal();
      const others: string[] = [];
      const done: string[] = [];
      const undone: string[] = [];
      for (const step of all) {
        if (step === 'other') others.push(journal.add(false));
        if (step === 'add') {
          done.push(journal.add(true));
          undone.length = 0;
        }
        if (step === 'undo') {
          const next = nextUndo(journal.changes, journal.isOwn);
          expect(next?.id).toBe(done.at(-1));
          if (next !== null) journal.takeBack(next.id);
          undone.push(...done.splice(-1));
        }
        if (step === 'redo') {
          const next = nextRedo(journal.changes, journal.isOwn);
          expect(next === null).toBe(undone.length === 0);
          if (next !== null) journal.takeBack(next.id);
          done.push(...undone.splice(-1));
        }
        expect(journal.standing).toEqual(new Set([...done, ...others]));
      }
    }),
  );
});
