import { changesStrings } from '#lib/strings/changes';
import type { ChangeOrigin } from '#server/core/content';

const { who, forWhom } = changesStrings;

/** Who made a change, by name where there are accounts: "Ada", "Assistant, for Ada". */
export function whoMade({ actor, userName }: Pick<ChangeOrigin, 'actor' | 'userName'>): string {
  return userName === undefined ? who[actor] : `${forWhom[actor]} ${userName}`.trim();
}
