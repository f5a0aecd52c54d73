import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { contentChanged, reloadPreview } from '#components/workspace/content-cache.ts';
import type { ChangeSet } from '#server/core/site/changes';
import type { StartResult } from '#server/core/site/starter';
import type { StarterKitName } from '#server/core/site/starter-kits';

/** Answers of the owner of a new site. */
export interface StartAnswers {
  readonly siteName: string;
  readonly what: string;
  readonly audience: string;
  readonly action: string;
  /** Language tag of the site. */
  readonly language: string;
}

/** Making the first pages, or what was made. */
export interface SiteStart {
  readonly kit: StarterKitName;
  /** Titles of the pages that are there. */
  readonly pages: readonly string[];
  /** Number of pages; 0: not known yet. */
  readonly total: number;
  readonly changes: readonly ChangeSet[];
  readonly isEnded: boolean;
  /** Why it ended early; null: it did not. */
  readonly error: unknown;
}

/** Makes the first pages of a site one after another, so that each appears at once, and takes all of them back. */
export function useSiteStart() {
  const [run, setRun] = useState<SiteStart | null>(null);

  async function start(kit: StarterKitName, { siteName, language, ...answers }: StartAnswers): Promise<void> {
    const given = Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer.trim() !== ''));
    let present: SiteStart = { kit, pages: [], total: 0, changes: [], isEnded: false, error: null };
    setRun(present);
    try {
      for (let step: number | null = 0; step !== null;) {
        const body = { kit, siteName, language, ...given, step };
        const made: StartResult = await api.request('POST', '/api/content/start', { body });
        present = {
          ...present,
          pages: [...present.pages, ...made.pages],
          total: made.total,
          changes: [...present.changes, ...made.changes],
        };
        setRun(present);
        contentChanged(made.changes);
        step = made.next;
      }
    } catch (error) {
      present = { ...present, error };
    }
    setRun({ ...present, isEnded: true });
    reloadPreview();
  }

  /** Takes back all changes of the run. @throws ApiError if somebody has changed the pages since */
  async function undo({ changes }: SiteStart): Promise<void> {
    const changeIds = changes.map(({ id }) => id).toReversed();
    const { undone } = await api.undoThese({ changeIds });
    setRun(null);
    contentChanged(undone);
    reloadPreview();
  }

  return { run, start, undo, close: () => setRun(null) };
}
