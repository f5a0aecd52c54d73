import type { SessionItem } from '#lib/api-client';
import { ageGroup } from '#lib/format';
import type { AgeGroup } from '#lib/format';

export interface SessionGroup {
  readonly group: AgeGroup;
  readonly sessions: readonly SessionItem[];
}

const order: readonly AgeGroup[] = ['today', 'yesterday', 'week', 'older'];

/** Conversations whose title contains the query (case-insensitive), newest first under headings of age. */
export function groupSessions(sessions: readonly SessionItem[], query: string, now: number): SessionGroup[] {
  const wanted = query.trim().toLowerCase();
  const found = sessions
    .filter(({ title }) => title.toLowerCase().includes(wanted))
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  return order
    .map((group) => ({ group, sessions: found.filter(({ updatedAt }) => ageGroup(updatedAt, now) === group) }))
    .filter(({ sessions: members }) => members.length > 0);
}
