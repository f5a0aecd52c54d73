import { useEffect, useEffectEvent } from 'react';
import useSWR from 'swr';
import { api } from '#components/api/api-client.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { isExample } from '#components/editor/section-examples.ts';
import { translator } from '#components/i18n.ts';
import { localizedText } from '#components/message-text.ts';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('scheduled.checks');

/** Pages of which the checks are shown before they are published together. */
const MAX_CHECKED = 30;

/** An entry that is about to be published. */
export type CheckedEntry = Pick<EntryItem, 'type' | 'id' | 'title'>;

/** What visitors would meet, or a hint. */
interface Problem {
  /** Where it is: `sections[2].fields.heading`. */
  readonly path: string;
  readonly text: string;
}

/** Problems of an entry, those of the server first. */
async function problemsOf({ type, id }: CheckedEntry): Promise<Problem[]> {
  const [issues, { draft }] = await Promise.all([api.issues(type, id), api.entry(type, id)]);
  return [
    ...issues.map(({ path, reason, message }) => ({ path, text: localizedText(reason, message) })),
    ...draft.sections.flatMap((section, index) =>
      isExample(section) ? [{ path: `sections[${index}]`, text: t('example', { kind: kindName(section.type) }) }] : [],
    ),
  ];
}

/** The checks of some entries. */
export interface PublishChecks {
  /** Undefined while they run. */
  readonly checked: readonly { readonly entry: CheckedEntry; readonly problems: readonly Problem[] }[] | undefined;
  /** Number of entries that could not be checked, or were too many. */
  readonly unchecked: number;
  /** True if visitors would, or may, meet a problem: a missing description for search engines alone is none. */
  readonly hasProblems: boolean;
}

/** Checks entries as the assistant does before it publishes them. */
export function usePublishChecks(entries: readonly CheckedEntry[]): PublishChecks {
  const shown = entries.slice(0, MAX_CHECKED);
  const key = ['/api/content/', 'checks', ...shown.map(({ id }) => id)];
  const check = async () => {
    const checked: { entry: CheckedEntry; problems: readonly Problem[] }[] = [];
    let unchecked = entries.length - shown.length;
    for (const entry of shown) {
      // The checks include what was typed a moment ago.
      await flushEditors(entry.id);
      const problems = await problemsOf(entry).catch(() => null);
      if (problems === null) unchecked += 1;
      else if (problems.length > 0) checked.push({ entry, problems });
    }
    return { checked, unchecked };
  };
  const { data, isValidating, mutate } = useSWR(shown.length === 0 ? null : key, check, { revalidateOnFocus: false });
  const repeat = useEffectEvent(() => void mutate());
  // SWR does not repeat a request made a moment ago, but the page may have changed since.
  useEffect(() => repeat(), []);
  const checked = isValidating ? undefined : (data?.checked ?? []);
  const unchecked = isValidating ? 0 : (data?.unchecked ?? 0);
  const isProblem = ({ path }: Problem) => path !== 'excerpt';
  const hasProblems = unchecked > 0 || (checked ?? []).some(({ problems }) => problems.some(isProblem));
  return { checked, unchecked, hasProblems };
}

interface CheckListProps extends Pick<PublishChecks, 'checked' | 'unchecked'> {
  /** True to name the entry of each problem. Default false: there is only one. */
  readonly isNamed?: boolean;
}

/** The problems that the checks have found; nothing if there are none. */
export function CheckList({ checked, unchecked, isNamed = false }: CheckListProps) {
  return (
    <div aria-live="polite" className="mt-3 min-h-0 overflow-y-auto text-sm">
      {checked === undefined && <p className="text-ink-3">{t('running')}</p>}
      {unchecked > 0 && <p>{t('unchecked', { count: unchecked })}</p>}
      {checked !== undefined && checked.length > 0 && (
        <>
          <p className="font-medium">{t('found')}</p>
          {checked.map(({ entry, problems }) => (
            <ul key={entry.id} aria-label={entry.title} className="mt-1 list-disc pl-5 text-ink-2">
              {problems.map(({ path, text }, index) => (
                <li key={`${path} ${String(index)}`} className="[overflow-wrap:anywhere]">
                  {isNamed && <b className="font-medium">{entry.title}: </b>}
                  {text}
                </li>
              ))}
            </ul>
          ))}
        </>
      )}
    </div>
  );
}
