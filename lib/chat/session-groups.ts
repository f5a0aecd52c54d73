import type { SessionItem } from '#lib/api/api-client';
import { ageGroup } from '#lib/ui/format';
import type { AgeGroup } from '#lib/ui/format';

export interface SessionGroup {
  readonly group: AgeGroup;
  readonly sessions: readonly SessionItem[];
}

const order: readonly AgeGroup[] = ['today', 'yesterday', 'week', 'older'];

/** Conversations under headings of age, the newest first. */
export function groupSessions(sessions: readonly SessionItem[], now: number): SessionGroup[] {
  const sorted = sessions.toSorted((a, b) => b.updatedAt - a.updatedAt);
  return order
    .map((group) => ({ group, sessions: sorted.filter(({ updatedAt }) => ageGroup(updatedAt, now) === group) }))
    .filter(({ sessions: members }) => members.length > 0);
}
