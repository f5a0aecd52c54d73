import { useEffect, useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { wasRefused } from '#components/api/api-error.ts';
import { paths } from '#components/api/paths.ts';
import { contentChanged, reloadPreview } from '#components/workspace/content-cache.ts';
import type { ChangeSet } from '#server/core/site/changes';
import type { StartResult } from '#server/core/site/starter/starter';
import type { StarterKitName } from '#server/core/site/starter/starter-kits';

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
  readonly answers: StartAnswers;
  /** Id of the newest change before the first one; null: there was none. */
  readonly before: string | null;
  /** Titles of the pages that are there. */
  readonly pages: readonly string[];
  /** Number of pages; 0: not known yet. */
  readonly total: number;
  readonly changes: readonly ChangeSet[];
  readonly isEnded: boolean;
  /** Why it ended early; null: it did not. */
  readonly error: unknown;
}

/** Changes that are read from the journal when an answer is lost: more than one step makes. */
const MAX_CHANGES = 20;

/**
 * Changes of a step whose answer was lost: they are in the journal. None if the server refused the step or cannot be asked.
 *
 * @param after id of the last known change; null: none is known
 */
async function changesWithoutAnswer(failure: unknown, after: string | null): Promise<readonly ChangeSet[]> {
  if (wasRefused(failure)) return [];
  const read = after === null ? paths.changes({}, MAX_CHANGES) : paths.changesAfter(after, MAX_CHANGES);
  const { items } = await api.get(read).catch((): { readonly items: readonly ChangeSet[] } => ({ items: [] }));
  const own = items.filter(({ origin }) => origin.actor === 'user');
  return after === null ? own.toReversed() : own;
}

/** The run with these changes, too. */
function withChanges(run: SiteStart, made: readonly ChangeSet[]): SiteStart {
  const titles = made.flatMap(({ targetType, action, title }) =>
    targetType === 'page' && action === 'create' ? [title] : [],
  );
  return { ...run, pages: [...run.pages, ...titles], changes: [...run.changes, ...made] };
}

/** Makes the first pages of a site one after another, so that each appears at once, and undoes all of them. */
export function useSiteStart() {
  const [run, setRun] = useState<SiteStart | null>(null);
  const isRunning = run !== null && !run.isEnded;
  useEffect(() => {
    if (!isRunning) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning]);

  /** Makes the pages that are missing. */
  async function proceed(begun: SiteStart): Promise<void> {
    const { kit, answers, before } = begun;
    const { language, ...others } = answers;
    const given = Object.fromEntries(Object.entries(others).filter(([, answer]) => answer.trim() !== ''));
    let present: SiteStart = { ...begun, isEnded: false, error: null };
    setRun(present);
    try {
      for (let step: number | null = present.pages.length; step !== null;) {
        const body = { kit, language, ...given, step };
        const made: StartResult = await api.request('POST', '/api/content/start', { body });
        present = withChanges({ ...present, total: made.total }, made.changes);
        setRun(present);
        contentChanged(made.changes);
        step = made.next;
      }
    } catch (error) {
      const items = await changesWithoutAnswer(error, present.changes.at(-1)?.id ?? before);
      present = withChanges(present, items);
      const isWhole = present.pages.length === present.total && items.at(-1)?.targetType === 'navigation';
      present = { ...present, error: isWhole ? null : error };
      contentChanged(items);
    }
    setRun({ ...present, isEnded: true });
    reloadPreview();
  }

  async function start(kit: StarterKitName, answers: StartAnswers): Promise<void> {
    const newest = await api.get(paths.changes({}, 1));
    const before = newest.items[0]?.id ?? null;
    await proceed({ kit, answers, before, pages: [], total: 0, changes: [], isEnded: false, error: null });
  }

  /** Undoes all changes of the run. @throws ApiError if somebody has changed the pages since */
  async function undo({ changes }: SiteStart): Promise<void> {
    const changeIds = changes.map(({ id }) => id).toReversed();
    const { undone } = await api.undoThese({ changeIds });
    setRun(null);
    contentChanged(undone);
    reloadPreview();
  }

  return { run, start, resume: proceed, undo, close: () => setRun(null) };
}
