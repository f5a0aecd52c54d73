import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { messageOf } from '#components/api/api-error.ts';
import { fieldTitle } from '#components/changes/diff-rows.ts';
import { translator } from '#components/i18n.ts';
import { refusalText } from '#components/message-text.ts';
import { contentChanged, reloadPreview } from '#components/workspace/content-cache.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { Button } from '#components/ui/buttons';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { Problem, useSubmit } from '#components/ui/dialogs/submit';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import { Option, TextField } from '#components/ui/fields';
import { type ReplacedEntry, type Replacement, MAX_REPLACED_ENTRIES } from '#server/core/site/bulk/replacements';

const t = translator('pages.replace');
const tChanges = translator('changes');

interface ReplaceDialogProps {
  /** Ids of the entries to change; null: all pages and posts. */
  readonly ids: readonly string[] | null;
  /** Text to find at first. Default: none. */
  readonly find?: string;
  readonly onClose: () => void;
}

/** What is searched for, and how. */
interface Query {
  readonly find: string;
  readonly replace: string;
  readonly wholeWords: boolean;
  readonly anyCase: boolean;
}

/** Finds a text in pages and posts, shows every place before and after, and replaces it where the user agrees. */
export function ReplaceDialog({ ids, find = '', onClose }: ReplaceDialogProps) {
  const [query, setQuery] = useState<Query>({ find, replace: '', wholeWords: false, anyCase: false });
  /** The places of this query; null: not looked for yet. */
  const [found, setFound] = useState<Pick<Replacement, 'entries' | 'total'> | null>(null);
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const submit = useSubmit();
  const change = (changed: Partial<Query>) => {
    setQuery((before) => ({ ...before, ...changed }));
    setFound(null);
    submit.clear();
  };
  const chosen = (found?.entries ?? []).filter(
    ({ id, places, refusal }) => places.length > 0 && refusal === null && !excluded.has(id),
  );
  const count = chosen.reduce((sum, { places }) => sum + occurrences(places), 0);
  const look = async () => {
    // Otherwise the places would be those without the last input.
    if (!(await flushEditors())) throw new Error(t('isUnsaved'));
    setFound(await findPlaces(query, ids));
    setExcluded(new Set());
  };
  const write = async () => {
    const { changes, refused, error } = await writeReplacement(query, chosen);
    if (changes.length > 0) {
      contentChanged(changes);
      reloadPreview();
      toastWithAction(t('done', { count: changes.length }), tChanges('undo'), async () => {
        const { undone } = await api.undoThese({ changeIds: changes.map(({ id }) => id) });
        contentChanged(undone);
        reloadPreview();
      });
    }
    if (refused.length === 0 && error === null) {
      onClose();
      return;
    }
    // What is left stays visible, with its reason.
    const written = new Set(changes.map(({ targetId }) => targetId));
    const left = chosen.filter(({ id }) => !written.has(id));
    const entries = left.map((entry) => refused.find(({ id }) => id === entry.id) ?? entry);
    setFound({ entries, total: entries.length });
    if (error !== null) throw new Error(messageOf(error));
  };
  return (
    <FormDialog
      title={ids === null ? t('title') : t('titleOf', { count: ids.length })}
      width="wide"
      save={t('look')}
      isBusy={submit.isBusy || query.find === '' || query.find === query.replace}
      isSent={submit.isBusy}
      onSubmit={() => void submit.run(look)}
      onClose={onClose}
      outcome={<Problem text={submit.problem} className="px-5 pb-3" />}
      extra={
        // Not the button of the form, so that the Enter key only searches.
        found !== null &&
        found.total > 0 && (
          <Button variant="danger" isBusy={submit.isBusy || count === 0} onClick={() => void submit.run(write)}>
            {t('replace', { count })}
          </Button>
        )
      }
    >
      <TextField
        label={t('find')}
        value={query.find}
        maxLength={5_000}
        onChange={(wanted) => change({ find: wanted })}
      />
      <TextField
        label={t('with')}
        hint={t('withHint')}
        value={query.replace}
        maxLength={50_000}
        onChange={(replace) => change({ replace })}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Option
          label={t('wholeWords')}
          hint={t('wholeWordsHint')}
          isOn={query.wholeWords}
          onChange={(wholeWords) => change({ wholeWords })}
        />
        <Option
          label={t('anyCase')}
          hint={t('anyCaseHint')}
          isOn={query.anyCase}
          onChange={(anyCase) => change({ anyCase })}
        />
      </div>
      <output className="text-sm text-ink-2">
        {found !== null && (found.total === 0 ? t('none') : t('found', { count: found.total }))}
        {found !== null && found.total > found.entries.length && ` ${t('first', { count: MAX_REPLACED_ENTRIES })}`}
      </output>
      {found !== null && found.entries.length > 0 && (
        <ul className="flex flex-col gap-4">
          {found.entries.map((entry) => (
            <EntryPlaces
              key={entry.id}
              entry={entry}
              isOn={!excluded.has(entry.id)}
              onChange={(isOn) => {
                const next = new Set(excluded);
                if (isOn) next.delete(entry.id);
                else next.add(entry.id);
                setExcluded(next);
              }}
            />
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

interface EntryPlacesProps {
  readonly entry: ReplacedEntry;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** The places in one page or post, before and after. */
function EntryPlaces({ entry: { title, places, unsafe, refusal }, isOn, onChange }: EntryPlacesProps) {
  const isUsable = places.length > 0 && refusal === null;
  return (
    <li className="rounded-lg border border-rule px-3 py-2.5">
      <label className="flex items-center gap-2.5 text-sm font-medium [overflow-wrap:anywhere]">
        <input
          type="checkbox"
          checked={isUsable && isOn}
          disabled={!isUsable}
          onChange={({ target }) => onChange(target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        {title}
        {places.length > 0 && (
          <span className="ml-auto shrink-0 font-normal text-ink-3">{t('places', { count: occurrences(places) })}</span>
        )}
      </label>
      {refusal !== null && <p className="mt-1 text-sm text-red">{refusalText(refusal.reason, refusal.message)}</p>}
      {places.map((place) => (
        <div key={`${place.sectionId ?? ''} ${place.where}`} className="mt-2 text-sm [overflow-wrap:anywhere]">
          <p className="text-xs text-ink-3">{placeName(place)}</p>
          {place.occurrences.map(({ before, after }, index) => (
            // The same text may occur several times.
            <p key={index} className="mb-1">
              <del className="block text-ink-2 decoration-red">{before}</del>
              <ins className="block bg-accent-wash no-underline">{after}</ins>
            </p>
          ))}
          {place.count > place.occurrences.length && (
            <p className="text-xs text-ink-3">{t('more', { count: place.count - place.occurrences.length })}</p>
          )}
        </div>
      ))}
      {unsafe.map((place) => (
        <p
          key={`${place.sectionId ?? ''} ${place.where} ${place.before}`}
          className="mt-2 text-sm text-ink-2 [overflow-wrap:anywhere]"
        >
          <span className="block text-xs text-ink-3">{placeName(place)}</span>
          {place.before}
          <span className="block text-xs">{t('unsafe')}</span>
        </p>
      ))}
    </li>
  );
}

function placeName({ section, where }: Pick<ReplacedEntry['unsafe'][number], 'section' | 'where'>): string {
  return fieldTitle(section === undefined ? where : `${section} section › ${where}`);
}

function occurrences(places: ReplacedEntry['places']): number {
  return places.reduce((sum, { count }) => sum + count, 0);
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  const starts = Array.from({ length: Math.ceil(items.length / MAX_REPLACED_ENTRIES) }, (_, index) => index);
  return starts.map((index) => items.slice(index * MAX_REPLACED_ENTRIES, (index + 1) * MAX_REPLACED_ENTRIES));
}

async function findPlaces(
  query: Query,
  ids: readonly string[] | null,
): Promise<Pick<Replacement, 'entries' | 'total'>> {
  const request = (entries?: { id: string }[]) =>
    api.request('POST', '/api/content/replace', { query: { dryRun: '1' }, body: { ...query, entries } });
  if (ids === null) return request();
  const answers: Replacement[] = [];
  for (const some of chunks(ids)) answers.push(await request(some.map((id) => ({ id }))));
  return {
    entries: answers.flatMap(({ entries }) => entries),
    total: answers.reduce((sum, { total }) => sum + total, 0),
  };
}

/** What a replacement wrote; with an error, until then. */
interface Written {
  readonly changes: Replacement['changes'];
  readonly refused: readonly ReplacedEntry[];
  readonly error: unknown;
}

async function writeReplacement(query: Query, chosen: readonly ReplacedEntry[]): Promise<Written> {
  const answers: Replacement[] = [];
  let error: unknown = null;
  try {
    for (const some of chunks(chosen)) {
      const entries = some.map(({ id, revision }) => ({ id, revision }));
      answers.push(await api.request('POST', '/api/content/replace', { body: { ...query, entries } }));
    }
  } catch (thrown) {
    error = thrown;
  }
  return {
    changes: answers.flatMap(({ changes }) => changes),
    refused: answers.flatMap(({ entries }) => entries.filter(({ refusal }) => refusal !== null)),
    error,
  };
}
