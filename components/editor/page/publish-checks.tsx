import { useEffect, useEffectEvent } from 'react';
import useSWR from 'swr';
import { api } from '#components/api/api-client.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { translator } from '#components/i18n.ts';
import { localizedText } from '#components/message-text.ts';
import type { ValidationIssue } from '#server/core/site/content';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('scheduled.checks');

/** Pages of which the checks are shown before they are published together. */
const MAX_CHECKED = 30;

/** An entry that is about to be published. */
export type CheckedEntry = Pick<EntryItem, 'type' | 'id' | 'title'>;

/** The checks of some entries. */
export interface PublishChecks {
  /** Undefined while they run. */
  readonly checked:
    readonly { readonly entry: CheckedEntry; readonly issues: readonly ValidationIssue[] }[] | undefined;
  /** True if visitors would meet a problem: a missing description for search engines alone is none. */
  readonly hasProblems: boolean;
}

/** Checks entries as the assistant does before it publishes them. An entry that cannot be checked has no problems. */
export function usePublishChecks(entries: readonly CheckedEntry[]): PublishChecks {
  const shown = entries.slice(0, MAX_CHECKED);
  const key = ['/api/content/', 'checks', ...shown.map(({ id }) => id)];
  const check = async () => {
    const checked: { entry: CheckedEntry; issues: readonly ValidationIssue[] }[] = [];
    for (const entry of shown) {
      // The checks include what was typed a moment ago.
      await flushEditors(entry.id);
      const issues = await api.issues(entry.type, entry.id).catch(() => []);
      if (issues.length > 0) checked.push({ entry, issues });
    }
    return checked;
  };
  const { data, isValidating, mutate } = useSWR(shown.length === 0 ? null : key, check, { revalidateOnFocus: false });
  const repeat = useEffectEvent(() => void mutate());
  // SWR does not repeat a request made a moment ago, but the page may have changed since.
  useEffect(() => repeat(), []);
  const checked = isValidating ? undefined : (data ?? []);
  const hasProblems = (checked ?? []).some(({ issues }) => issues.some(({ path }) => path !== 'excerpt'));
  return { checked, hasProblems };
}

interface CheckListProps extends Pick<PublishChecks, 'checked'> {
  /** True to name the entry of each problem. Default false: there is only one. */
  readonly isNamed?: boolean;
}

/** The problems that the checks have found; nothing if there are none. */
export function CheckList({ checked, isNamed = false }: CheckListProps) {
  return (
    <div aria-live="polite" className="mt-3 min-h-0 overflow-y-auto text-sm">
      {checked === undefined && <p className="text-ink-3">{t('running')}</p>}
      {checked !== undefined && checked.length > 0 && (
        <>
          <p className="font-medium">{t('found')}</p>
          {checked.map(({ entry, issues }) => (
            <ul key={entry.id} aria-label={entry.title} className="mt-1 list-disc pl-5 text-ink-2">
              {issues.map(({ path, reason, message }, index) => (
                <li key={`${path} ${String(index)}`} className="[overflow-wrap:anywhere]">
                  {isNamed && <b className="font-medium">{entry.title}: </b>}
                  {localizedText(reason, message)}
                </li>
              ))}
            </ul>
          ))}
        </>
      )}
    </div>
  );
}
