import { Copy, File } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { useEntries } from '#components/workspace/entries.ts';
import { KindPicture } from '#components/editor/panels/kind-picture';
import { type PageTemplate, pageTemplates } from '#components/editor/panels/page-templates.ts';
import { translator } from '#components/i18n.ts';
import { Switch } from '#components/ui/controls/choices';
import { Field, formFieldStyle, TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import type { Entry, EntryType } from '#server/core/site/content';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('newPage');

/** Value of the choice "copy" among the templates. */
const COPY = 'copy';

interface NewPageProps {
  /** Entry to copy, if given. */
  readonly source?: Pick<EntryItem, 'id' | 'type' | 'title'>;
  /** Called with the new page or post. */
  readonly onMade: (entry: Entry) => void;
  readonly onClose: () => void;
}

/** Dialog that creates a page or post: blank, from a template, or as a copy. */
export function NewPage({ source, onMade, onClose }: NewPageProps) {
  const [type, setType] = useState<EntryType>(source?.type ?? 'page');
  /** Index of the chosen template, or COPY. */
  const [start, setStart] = useState(source ? COPY : '0');
  const [title, setTitle] = useState(source ? t('copyTitle', { title: source.title }) : '');
  const [sourceId, setSourceId] = useState(source?.id ?? '');
  const { entries } = useEntries();
  const submit = useSubmit();
  const kinds = pageTemplates(type);
  const sources = (entries ?? []).filter((entry) => entry.type === type);
  /** Suggests a title, unless the user has typed one. */
  const suggestTitle = (next: string) => {
    const suggestions = [
      '',
      ...kinds.map((kind) => kind.title),
      ...sources.map((each) => t('copyTitle', { title: each.title })),
    ];
    if (suggestions.includes(title)) setTitle(next);
  };
  const create = () =>
    submit.run(async () => {
      if (title.trim() === '') throw new Error(t('noName'));
      const body = start === COPY ? await copyOf(type, sourceId) : { sections: kinds[Number(start)]?.sections ?? [] };
      const { entry, change } = await api.createEntry(type, { ...body, title });
      contentChanged([change]);
      toast.success(t('made', { title: entry.draft.title }));
      onClose();
      onMade(entry);
    });
  return (
    <SubmitDialog
      title={t('title')}
      width="wide"
      save={t('save')}
      saving={t('saving')}
      submit={submit}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <div className="flex">
        <Switch
          label={t('type')}
          value={type}
          choices={{ page: t('types.page'), post: t('types.post') }}
          onChange={(next) => {
            setType(next);
            setStart('0');
            setSourceId('');
          }}
        />
      </div>
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{t('start')}</legend>
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          {kinds.map((kind, index) => (
            <Choice
              key={kind.name}
              kind={kind}
              isChosen={start === String(index)}
              onChoose={() => {
                setStart(String(index));
                suggestTitle(kind.title);
              }}
            />
          ))}
          <Choice kind={copyKind()} isCopy isChosen={start === COPY} onChoose={() => setStart(COPY)} />
        </div>
      </fieldset>
      {start === COPY && (
        <Field label={t('copyOf')} hint={t('copyHint')}>
          {(ids) => (
            <select
              {...ids}
              value={sourceId}
              onChange={({ target }) => {
                setSourceId(target.value);
                const picked = sources.find(({ id }) => id === target.value);
                if (picked) suggestTitle(t('copyTitle', { title: picked.title }));
              }}
              className={formFieldStyle}
            >
              <option value="">{t('choose')}</option>
              {sources.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.title}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <TextField label={t('name')} value={title} required maxLength={200} onChange={setTitle} />
    </SubmitDialog>
  );
}

interface ChoiceProps {
  readonly kind: PageTemplate;
  /** True for the copy of a page. */
  readonly isCopy?: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ kind: { name, purpose, sections }, isCopy = false, isChosen, onChoose }: ChoiceProps) {
  const id = useId();
  const Icon = isCopy ? Copy : File;
  return (
    <label
      htmlFor={id}
      className="flex cursor-pointer flex-col gap-1 rounded-lg border border-rule p-2 text-sm hover:border-ink-3 has-checked:border-accent has-checked:bg-accent-wash has-focus-visible:ring-2 has-focus-visible:ring-accent"
    >
      <span aria-hidden className="grid h-14 grid-cols-2 place-content-center gap-0.5 overflow-hidden rounded bg-desk">
        {sections.length === 0 && <Icon className="col-span-2 mx-auto size-6 stroke-[1.25] text-ink-3" />}
        {sections.slice(0, 4).map(({ type }, index) => (
          <KindPicture key={`${type} ${String(index)}`} type={type} className="h-7 w-full" />
        ))}
      </span>
      <span className="flex items-center gap-1.5 font-medium">
        <input
          id={id}
          type="radio"
          name="page-kind"
          checked={isChosen}
          aria-label={name}
          aria-describedby={`${id}-purpose`}
          onChange={onChoose}
          className="accent-accent"
        />
        {name}
      </span>
      <span id={`${id}-purpose`} className="text-xs text-ink-2">
        {purpose}
      </span>
    </label>
  );
}

/**
 * Reads content for a copy: the whole draft except title and address.
 * @throws ApiError; Error if no entry was chosen
 */
async function copyOf(type: EntryType, id: string) {
  if (id === '') throw new Error(t('noSource'));
  const { draft } = await api.get(paths.entry(type, id));
  const { title: _title, slug: _slug, sections, ...document } = draft;
  return { ...document, sections: sections.map(({ type: kind, fields }) => ({ type: kind, fields })) };
}

/** The choice of copying an existing page, among the templates. */
function copyKind(): PageTemplate {
  return { name: t('copy'), purpose: t('copyHint'), title: '', sections: [] };
}
