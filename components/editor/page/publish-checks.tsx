import { useEffect, useEffectEvent, useState } from 'react';
import useSWR from 'swr';
import { api } from '#components/api/api-client.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { isExample } from '#components/editor/section-examples.ts';
import { translator } from '#components/i18n.ts';
import { localizedText } from '#components/message-text.ts';
import { ProgressBar } from '#components/ui/progress-bar';
import type { CodedMessage } from '#server/core/coded-message';
import { textsOfNotes } from '#server/core/message-data';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('scheduled.checks');
const tDesign = translator('design');

/** Number of checks at the same time: a site with hundreds of pages would otherwise wait for each answer. */
const CHECKED_TOGETHER = 4;

/** An entry that is about to be published. */
export type CheckedEntry = Pick<EntryItem, 'type' | 'id' | 'title' | 'path'>;

/** What visitors would meet, or a hint. */
interface Problem {
  /** Where it is: `sections[2].fields.heading`. */
  readonly path: string;
  readonly text: string;
}

/** True for a problem with a link to an entry that is published, too. */
function isSolved(reason: CodedMessage | null | undefined, together: ReadonlySet<string>): boolean {
  const { code = '', params = {} } = reason ?? {};
  const name = { 'link-not-published': 'address', 'menu-item-to-nowhere': 'href' }[code];
  const address = name === undefined ? null : params[name];
  return typeof address === 'string' && together.has(address.replace(/[?#].*$/, ''));
}

/** Problems of an entry, those of the server first. Links to entries that are published with it are none. */
async function problemsOf({ type, id }: CheckedEntry, together: ReadonlySet<string>): Promise<Problem[]> {
  // The checks include what was typed a moment ago.
  await flushEditors(id);
  const [issues, { draft }] = await Promise.all([api.issues(type, id), api.entry(type, id)]);
  return [
    ...issues
      .filter(({ reason }) => !isSolved(reason, together))
      .map(({ path, reason, message }) => ({ path, text: localizedText(reason, message) })),
    ...draft.sections.flatMap((section, index) =>
      isExample(section) ? [{ path: `sections[${index}]`, text: t('example', { kind: kindName(section.type) }) }] : [],
    ),
  ];
}

/** Problems of the draft of the design: links in the footer. */
async function problemsOfDesign(together: ReadonlySet<string>): Promise<Problem[]> {
  const notes = textsOfNotes(await api.publishDesign({ dryRun: 'true' }));
  return notes
    .filter((note) => !isSolved(note, together))
    .map((note) => ({ path: 'footer', text: localizedText(note, note.text) }));
}

/** What is checked: an entry, or the design. */
interface Checked {
  readonly id: string;
  readonly title: string;
}

/** The checks of what is published together. */
export interface PublishChecks {
  /** Those with problems. Undefined while the checks run. */
  readonly checked: readonly (Checked & { readonly problems: readonly Problem[] })[] | undefined;
  /** Number of those that could not be checked. */
  readonly unchecked: number;
  /** Progress of the checks. */
  readonly done: number;
  readonly total: number;
  /** True if visitors would, or may, meet a problem: a missing description for search engines alone is none. */
  readonly hasProblems: boolean;
}

/** Checks entries, and the design, as the assistant does before it publishes them. */
export function usePublishChecks(entries: readonly CheckedEntry[], hasDesign = false): PublishChecks {
  const [done, setDone] = useState(0);
  const together = new Set(entries.map(({ path }) => path));
  const all = [
    ...(hasDesign ? [{ id: 'design', title: tDesign('title'), check: () => problemsOfDesign(together) }] : []),
    ...entries.map((entry) => ({ ...entry, check: () => problemsOf(entry, together) })),
  ];
  const key = ['/api/content/', 'checks', ...all.map(({ id }) => id)];
  const check = async () => {
    const found = new Map<string, readonly Problem[] | null>();
    const waiting = [...all];
    setDone(0);
    const checkNext = async (): Promise<void> => {
      const next = waiting.shift();
      if (next === undefined) return;
      found.set(next.id, await next.check().catch(() => null));
      setDone(found.size);
      await checkNext();
    };
    await Promise.all(Array.from({ length: CHECKED_TOGETHER }, checkNext));
    const checked = all.flatMap(({ id, title }) => {
      const problems = found.get(id) ?? [];
      return problems.length > 0 ? [{ id, title, problems }] : [];
    });
    return { checked, unchecked: [...found.values()].filter((problems) => problems === null).length };
  };
  const { data, isValidating, mutate } = useSWR(all.length === 0 ? null : key, check, { revalidateOnFocus: false });
  const repeat = useEffectEvent(() => void mutate());
  // SWR does not repeat a request made a moment ago, but the page may have changed since.
  useEffect(() => repeat(), []);
  const checked = isValidating ? undefined : (data?.checked ?? []);
  const unchecked = isValidating ? 0 : (data?.unchecked ?? 0);
  const isProblem = ({ path }: Problem) => path !== 'excerpt';
  const hasProblems = unchecked > 0 || (checked ?? []).some(({ problems }) => problems.some(isProblem));
  return { checked, unchecked, hasProblems, done, total: all.length };
}

interface CheckListProps extends Omit<PublishChecks, 'hasProblems'> {
  /** True to name the entry of each problem. Default false: there is only one. */
  readonly isNamed?: boolean;
}

/** The problems that the checks have found; nothing if there are none. */
export function CheckList({ checked, unchecked, done, total, isNamed = false }: CheckListProps) {
  return (
    <div aria-live="polite" className="mt-3 min-h-0 overflow-y-auto text-sm">
      {checked === undefined && <p className="text-ink-3">{t('running')}</p>}
      {checked === undefined && total > 1 && (
        <ProgressBar label={t('progress', { done, total })} done={done} total={total} />
      )}
      {unchecked > 0 && <p>{t('unchecked', { count: unchecked })}</p>}
      {checked !== undefined && checked.length > 0 && (
        <>
          <p className="font-medium">{t('found')}</p>
          {checked.map(({ id, title, problems }) => (
            <ul key={id} aria-label={title} className="mt-1 list-disc pl-5 text-ink-2">
              {problems.map(({ path, text }, index) => (
                <li key={`${path} ${String(index)}`} className="[overflow-wrap:anywhere]">
                  {isNamed && <b className="font-medium">{title}: </b>}
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
