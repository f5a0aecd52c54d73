import { CalendarClock } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { contentChanged, refreshContent } from '#components/workspace/content-cache.ts';
import { entryHead } from '#components/content/head-metadata.ts';
import { type Capabilities, useCapabilities, useEntries } from '#components/workspace/entries.ts';
import { isBelow } from '#components/workspace/page-tree.ts';
import { pageFieldLabels } from '#components/editor/model/field-labels.ts';
import { FormFields } from '#components/editor/panels/form-fields';
import { documentForm } from '#components/editor/model/form-model.ts';
import { type PageEditor, usePageEditor } from '#components/editor/model/page-editor.ts';
import { Panel, FocusedFieldReport } from '#components/editor/panels/panel';
import { translator } from '#components/i18n.ts';
import { ScheduleDialog } from '#components/scheduled/schedule-dialog';
import { Button } from '#components/ui/buttons';
import { Field, formFieldStyle } from '#components/ui/fields';
import { useOpened } from '#components/ui/hooks.ts';
import { LoadingBlock } from '#components/ui/notices';
import { Problem, sentence } from '#components/ui/dialogs/submit';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { EntryDocument, PatchOp } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { valuesReplacedBy } from '#server/core/site/write-checks/replaced-values';
import type { PlacedEntry } from '#server/core/site/site-lists';
import { scheduledTime } from '#components/ui/times.ts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('pageSettings');

interface PageSettingsProps {
  /** Path of the displayed page. */
  readonly path: string;
  /** Called with the path of the page after its address has changed. */
  readonly onMoved: (path: string) => void;
  readonly onClose: () => void;
}

/**
 * Panel for everything of a page except its sections: title, address, descriptions, search engine display, publication.
 */
export function PageSettings({ path, onMoved, onClose }: PageSettingsProps) {
  const { editor, state } = usePageEditor(path);
  const { entry, document } = state;
  const can = useCapabilities();
  return (
    <Panel title={t('title')} state={state} onClose={onClose}>
      {entry === null || document === null || can === undefined ? (
        <LoadingBlock label={t('loading')} />
      ) : (
        <Settings key={entry.id} entry={entry} document={document} editor={editor} can={can} onMoved={onMoved} />
      )}
    </Panel>
  );
}

interface SettingsProps {
  /** Called with the path of the page after its address has changed. */
  readonly onMoved: (path: string) => void;
  readonly entry: PlacedEntry;
  readonly document: EntryDocument;
  readonly editor: PageEditor;
  readonly can: Capabilities;
}

function Settings({ entry, document, editor, can, onMoved }: SettingsProps) {
  /**
   * Changes the page's address; the preview follows it. False: the change was refused, and the user has been informed.
   */
  const move = async (operation: PatchOp): Promise<boolean> => {
    const { type, id, draft } = entry;
    await editor.flush();
    try {
      // Not through the editor, which would show the page at its old address again.
      const { change } = await api.patchEntry(type, id, {
        operations: [operation],
        expects: valuesReplacedBy(draft, [operation]),
      });
      const { path } = await api.get(paths.entry(type, id));
      onMoved(path);
      contentChanged([change]);
      if (path !== entry.path) toast(t('addressChanged', { path }));
      return true;
    } catch (error) {
      reportFailure(error);
      refreshContent();
      return false;
    }
  };
  const fields = (...names: readonly (keyof typeof documentForm)[]) => (
    <FocusedFieldReport editor={editor} sectionId={null}>
      <FormFields
        fields={names.map((name) => documentForm[name])}
        values={document as unknown as Readonly<Record<string, JsonValue>>}
        labels={pageFieldLabels}
        write={(field, value) => editor.setValue({ sectionId: null, field }, value)}
      />
    </FocusedFieldReport>
  );
  return (
    <>
      {fields('title')}
      <Address entry={entry} manualRedirects={can.redirects} onMove={move} />
      {entry.type === 'page' && can.hierarchy && <Parent entry={entry} onMove={move} />}
      {fields('excerpt')}
      {can.tags && fields('tags')}
      {fields('author', 'image')}
      <CmsFields
        document={document}
        editor={editor}
        groups={can.backend === 'wordpress' && entry.type === 'post' && document.kind === undefined ? ['category'] : []}
      />
      {can.seo && (
        <section aria-label={t('search')} className="flex flex-col gap-4 border-t border-rule pt-5">
          <SearchResult entry={entry} document={document} />
          {fields('seo')}
        </section>
      )}
      {can.scheduling && <Publication entry={entry} />}
    </>
  );
}

interface AddressProps {
  readonly entry: PlacedEntry;
  /** True if the CMS redirects from former addresses. */
  readonly manualRedirects: boolean;
  readonly onMove: (operation: PatchOp) => Promise<boolean>;
}

/** The last part of the address; saved by a button, because links to the former address may exist elsewhere. */
function Address({ entry, manualRedirects, onMove }: AddressProps) {
  const { slug } = entry.draft;
  const [typed, setTyped] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const text = typed ?? slug;
  const [problem] = documentForm.slug.check(text).problems;
  const change = async () => {
    setIsBusy(true);
    const isMoved = await onMove({ op: 'set', field: 'slug', value: text });
    setIsBusy(false);
    // Refused or newer input stays, to be corrected.
    if (isMoved) setTyped((now) => (now === text ? null : now));
  };
  if (entry.path === '/') {
    return (
      <div>
        <p className="mb-1 text-sm font-medium">{t('address')}</p>
        <p className="text-sm text-ink-2">{t('addressHome')}</p>
      </div>
    );
  }
  const above = entry.path.slice(0, entry.path.lastIndexOf('/') + 1);
  const hint =
    entry.publishedPath === null
      ? t('addressDraft')
      : manualRedirects
        ? t('addressRedirect', { path: entry.publishedPath })
        : t('addressLost', { path: entry.publishedPath });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && text !== slug) void change();
      }}
    >
      <Field label={t('address')} hint={hint}>
        {(ids) => (
          <div className="flex items-center gap-1.5">
            <span aria-hidden className="max-w-28 truncate text-sm text-ink-3">
              {above}
            </span>
            <input
              {...ids}
              value={text}
              spellCheck={false}
              autoComplete="off"
              aria-invalid={problem !== undefined || undefined}
              onChange={({ target }) => setTyped(target.value)}
              className={formFieldStyle}
            />
          </div>
        )}
      </Field>
      <Problem text={problem ? sentence(problem.message) : null} className="mt-1 text-xs!" />
      {text !== slug && (
        <Button type="submit" variant="primary" className="mt-2" disabled={isBusy || problem !== undefined}>
          {t('addressSave')}
        </Button>
      )}
    </form>
  );
}

/** The parent page: any page that is not below this one. */
function Parent({
  entry,
  onMove,
}: {
  readonly entry: PlacedEntry;
  readonly onMove: (operation: PatchOp) => Promise<boolean>;
}) {
  const { entries = [] } = useEntries();
  const [isBusy, setIsBusy] = useState(false);
  const pages = entries.filter(({ type, id }) => type === 'page' && !isBelow(id, entry.id, entries));
  const change = async (id: string) => {
    setIsBusy(true);
    await onMove(id === '' ? { op: 'unset', field: 'parent' } : { op: 'set', field: 'parent', value: id });
    setIsBusy(false);
  };
  return (
    <Field label={t('parent')}>
      {(ids) => (
        <select
          {...ids}
          value={entry.draft.parent ?? ''}
          disabled={isBusy || entry.path === '/'}
          onChange={({ target }) => void change(target.value)}
          className={formFieldStyle}
        >
          <option value="">{t('noParent')}</option>
          {pages.map(({ id, title, path }) => (
            <option key={id} value={id}>
              {t('parentOption', { title, path })}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The page as a search result. */
function SearchResult({ entry, document }: { readonly entry: PlacedEntry; readonly document: EntryDocument }) {
  const id = useId();
  const { data: settings } = useApi(paths.settings);
  if (settings === undefined) return null;
  const shown = { type: entry.type, document };
  const { title, description } = entryHead({ settings, entry: shown, path: entry.path, address: null });
  const places = entry.path.split('/').filter(Boolean);
  return (
    <figure aria-labelledby={id} className="rounded-lg border border-rule bg-sheet p-3">
      <figcaption id={id} className="mb-2 text-xs text-ink-3">
        {t('searchHint')}
      </figcaption>
      {document.seo?.noIndex === true ? (
        <p className="text-sm text-ink-2">{t('searchHidden')}</p>
      ) : (
        <>
          <p className="truncate text-xs text-ink-2">{[settings.siteName, ...places].join(' › ')}</p>
          <p className="mt-0.5 line-clamp-1 text-base text-accent">{title}</p>
          <p className="mt-0.5 line-clamp-2 text-sm text-ink-2">{description || t('noDescription')}</p>
        </>
      )}
    </figure>
  );
}

/** Scheduled publication of a page: set, change or cancel it. */
function Publication({ entry }: { readonly entry: PlacedEntry }) {
  const { type, id, publishAt, status, draft } = entry;
  const dialog = useOpened();
  if (status === 'published' && publishAt === null) return null;
  return (
    <section aria-label={t('schedule')} className="border-t border-rule pt-5">
      <h3 className="text-sm font-medium">{t('schedule')}</h3>
      <div className="mt-1 flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-ink-2">
          {publishAt === null ? t('notScheduled') : t('scheduled', { when: scheduledTime(publishAt) })}
        </p>
        <Button onClick={() => dialog.open()}>
          <CalendarClock aria-hidden className="size-4 stroke-[1.75]" />
          {publishAt === null ? t('plan') : t('changeSchedule')}
        </Button>
      </div>
      {dialog.opened && <ScheduleDialog entry={{ type, id, publishAt, title: draft.title }} onClose={dialog.close} />}
    </section>
  );
}

interface CmsFieldsProps {
  readonly document: EntryDocument;
  readonly editor: PageEditor;
  /** Groups to offer even if the entry has no term in them. */
  readonly groups: readonly string[];
}

/** `acme_area` as a label. */
function labelOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const cmsLabels = (name: string) => ({ label: labelOf(name), item: labelOf(name) });

/**
 * Fields that only the connected CMS has: groups other than tags, and custom fields. Values that are not text are
 * read-only.
 */
function CmsFields({ document, editor, groups }: CmsFieldsProps) {
  const { terms = {}, custom = {} } = document;
  const taxonomies = [...new Set([...groups, ...Object.keys(terms)])];
  const textNames = Object.keys(custom).filter((name) => typeof custom[name] === 'string');
  const others = Object.entries(custom).filter(([, value]) => typeof value !== 'string');
  if (taxonomies.length === 0 && Object.keys(custom).length === 0) return null;
  const write =
    (field: 'terms' | 'custom', values: Readonly<Record<string, JsonValue>>, none: JsonValue) =>
    (name: string, value: JsonValue | null) =>
      editor.setValue({ sectionId: null, field }, { ...values, [name]: value ?? none });
  return (
    <section aria-label={pageFieldLabels('terms').label} className="flex flex-col gap-4 border-t border-rule pt-5">
      <FocusedFieldReport editor={editor} sectionId={null}>
        <FormFields
          fields={taxonomies.map((name) => ({ ...documentForm.tags, name }))}
          values={terms as Readonly<Record<string, JsonValue>>}
          labels={cmsLabels}
          write={write('terms', terms as Readonly<Record<string, JsonValue>>, [])}
        />
        <FormFields
          fields={textNames.map((name) => ({ ...documentForm.excerpt, name }))}
          values={custom}
          labels={cmsLabels}
          write={write('custom', custom, '')}
        />
      </FocusedFieldReport>
      {others.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          {others.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="font-medium">{labelOf(name)}</dt>
              <dd className="text-ink-2">{String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
