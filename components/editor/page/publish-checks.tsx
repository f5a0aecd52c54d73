import { useEffect, useEffectEvent, useState } from 'react';
import useSWR from 'swr';
import { api } from '#components/api/api-client.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { isExample } from '#components/editor/section-examples.ts';
import { translator } from '#components/i18n.ts';
import { localizedText } from '#components/message-text.ts';
import { ProgressBar } from '#components/ui/progress-bar';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('scheduled.checks');

/** Entries that are checked at the same time: a site with hundreds of pages would otherwise wait for each answer. */
const CHECKED_TOGETHER = 4;

/** An entry that is about to be published. */
export type CheckedEntry = Pick<EntryItem, 'type' | 'id' | 'title' | 'path'>;

/** What visitors would meet, or a hint. */
interface Problem {
  /** Where it is: `sections[2].fields.heading`. */
  readonly path: string;
  readonly text: string;
}

/** Problems of an entry, those of the server first. Links to entries that are published with it are none. */
async function problemsOf({ type, id }: CheckedEntry, together: ReadonlySet<string>): Promise<Problem[]> {
  const [issues, { draft }] = await Promise.all([api.issues(type, id), api.entry(type, id)]);
  const isPublishedToo = ({ reason }: (typeof issues)[number]) => {
    const address = reason?.code === 'link-not-published' ? reason.params['address'] : null;
    return typeof address === 'string' && together.has(address.replace(/[?#].*$/, ''));
  };
  return [
    ...issues
      .filter((issue) => !isPublishedToo(issue))
      .map(({ path, reason, message }) => ({ path, text: localizedText(reason, message) })),
    ...draft.sections.flatMap((section, index) =>
      isExample(section) ? [{ path: `sections[${index}]`, text: t('example', { kind: kindName(section.type) }) }] : [],
    ),
  ];
}

/** The checks of some entries. */
export interface PublishChecks {
  /** Undefined while they run. */
  readonly checked: readonly { readonly entry: CheckedEntry; readonly problems: readonly Problem[] }[] | undefined;
  /** Number of entries that could not be checked. */
  readonly unchecked: number;
  /** Progress of the checks. */
  readonly done: number;
  readonly total: number;
  /** True if visitors would, or may, meet a problem: a missing description for search engines alone is none. */
  readonly hasProblems: boolean;
}

/** Checks entries as the assistant does before it publishes them. */
export function usePublishChecks(entries: readonly CheckedEntry[]): PublishChecks {
  const [done, setDone] = useState(0);
  const key = ['/api/content/', 'checks', ...entries.map(({ id }) => id)];
  const check = async () => {
    const together = new Set(entries.map(({ path }) => path));
    const found = new Map<CheckedEntry, readonly Problem[] | null>();
    const waiting = [...entries];
    setDone(0);
    const checkNext = async (): Promise<void> => {
      const entry = waiting.shift();
      if (entry === undefined) return;
      // The checks include what was typed a moment ago.
      await flushEditors(entry.id);
      found.set(entry, await problemsOf(entry, together).catch(() => null));
      setDone(found.size);
      await checkNext();
    };
    await Promise.all(Array.from({ length: CHECKED_TOGETHER }, checkNext));
    const checked = entries.flatMap((entry) => {
      const problems = found.get(entry) ?? [];
      return problems.length > 0 ? [{ entry, problems }] : [];
    });
    return { checked, unchecked: [...found.values()].filter((problems) => problems === null).length };
  };
  const { data, isValidating, mutate } = useSWR(entries.length === 0 ? null : key, check, { revalidateOnFocus: false });
  const repeat = useEffectEvent(() => void mutate());
  // SWR does not repeat a request made a moment ago, but the page may have changed since.
  useEffect(() => repeat(), []);
  const checked = isValidating ? undefined : (data?.checked ?? []);
  const unchecked = isValidating ? 0 : (data?.unchecked ?? 0);
  const isProblem = ({ path }: Problem) => path !== 'excerpt';
  const hasProblems = unchecked > 0 || (checked ?? []).some(({ problems }) => problems.some(isProblem));
  return { checked, unchecked, hasProblems, done, total: entries.length };
}

interface CheckListProps extends Omit<PublishChecks, 'hasProblems'> {
  /** True to name the entry of each problem. Default false: there is only one. */
  readonly isNamed?: boolean;
}

/** The problems that the checks have found; nothing if there are none. */
export function CheckList({ checked, unchecked, done, total, isNamed = false }: CheckListProps) {
  return (
    <div aria-live="polite" className="mt-3 min-h-0 overflow-y-auto text-sm">
      {checked === undefined && <p className="text-ink-3">{t('running', { count: total })}</p>}
      {checked === undefined && total > 1 && (
        <ProgressBar label={t('progress', { done, total })} done={done} total={total} />
      )}
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
