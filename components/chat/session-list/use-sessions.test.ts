import { describe, expect, it } from 'vitest';
import type { Session } from '#server/core/conversation/sessions';
import { groupSessions, titleFrom } from '#components/chat/session-list/use-sessions.ts';

const now = new Date('2026-03-18T15:00:00').getTime();
const session = (title: string, hoursAgo: number): Session => ({
  id: title,
  title,
  modelId: null,
  siteId: 'embedded',
  ownerId: 'own_local',
  instructions: null,
  lastCompactionAt: null,
  createdAt: 0,
  updatedAt: now - hoursAgo * 3_600_000,
  compactionCount: 0,
  currentlyCompacting: false,
  compactingSince: null,
});

describe('groupSessions', () => {
  const all = [session('Old menu', 24 * 30), session('Pricing page', 1), session('About page', 2)];

  it('puts the newest first under headings that have members', () => {
    expect(groupSessions(all, now).map(({ group, sessions }) => [group, sessions.map(({ id }) => id)])).toEqual([
      ['today', ['Pricing page', 'About page']],
      ['older', ['Old menu']],
    ]);
  });
});

describe('titleFrom', () => {
  it('is the first line, cut at a word', () => {
    expect(titleFrom('  Create a page\nwith three sections')).toBe('Create a page');
    const long = titleFrom('Rewrite the whole story of the studio since the very first kiln in the barn');
    expect(long).toBe('Rewrite the whole story of the studio since the very first…');
    expect(titleFrom('x'.repeat(100))).toHaveLength(60);
  });
});
