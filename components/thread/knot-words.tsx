import { whoMade } from '#components/changes/change-facts';
import { inYourWords } from '#components/served-words';
import { isGone } from '#components/thread/use-thread';
import { threadStrings } from '#components/thread/words';
import type { Knot } from '#server/core/thread';

const say = threadStrings;

/** `standing`: in effect, or a summary. */
export type KnotState = 'standing' | 'partly' | 'undone';

export function knotState({ changes }: Knot): KnotState {
  const gone = changes.filter(isGone).length;
  if (gone === 0) return 'standing';
  return gone === changes.length ? 'undone' : 'partly';
}

/** A knot's title: the request, or whose hand it was. */
export function knotTitle(knot: Knot): string {
  if (knot.kind === 'summary') return say.summary;
  const [first] = knot.changes;
  if (knot.kind === 'answer') return knot.words || inYourWords(first?.summary ?? '');
  return say.byHand(knot.who === null ? '' : whoMade(knot.who));
}

export function stateWords(state: KnotState): string {
  return { standing: '', partly: say.partlyUndone, undone: say.undone }[state];
}

/** Nothing has changed for so long: somebody may be leaving; ms. */
const A_WHILE = 30 * 60 * 1000;

/** Time to offer the card: something was changed, and not just now. */
export function isTimeToLeave(knots: readonly Knot[], now: number | null): boolean {
  const last = knots.findLast(({ changes }) => changes.length > 0);
  return last !== undefined && now !== null && now - last.at > A_WHILE;
}
