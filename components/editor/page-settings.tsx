import { CalendarClock } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { contentChanged, refreshContent } from '#components/desk/content-cache';
import { siteHead } from '#components/content/site-head';
import { type Capabilities, useCapabilities, useEntries } from '#components/desk/entries';
import { type FieldWords, pageFieldWords } from '#components/editor/field-words';
import { FormFields } from '#components/editor/form-fields';
import { documentForm } from '#components/editor/form-model';
import { type PageEditor, usePageEditor } from '#components/editor/page-editor';
import { Panel, WritingPlaces } from '#components/editor/panel';
import { pageSettingsStrings } from '#components/editor/panel-words';
import { PlanDialog } from '#components/planned/planned-section';
import { Button } from '#components/ui/buttons';
import { Field, formFieldLook } from '#components/ui/fields';
import { useOpened } from '#components/ui/hooks';
import { LoadingBlock } from '#components/ui/notices';
import { Problem, sentence } from '#components/ui/submit';
import { reportFailure } from '#components/ui/toasts';
import type { EntryDocument, PatchOp, SiteSettings } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { valuesReplacedBy } from '#server/core/replaced-values';
import type { EntryItem, PlacedEntry } from '#server/core/site-lists';
import { plannedTime } from '#components/ui/times';

const say = pageSettingsStrings;

interface PageSettingsProps {
  /** Path of the page that is shown. */
  readonly path: string;
  /** Called with the path of the page after its address has changed. */
  readonly onMoved: (path: string) => void;
  readonly onClose: () => void;
}

/** Panel for all that a page has beside its sections: title, address, descriptions, how search engines show it, publication. */
export function PageSettings({ path, onMoved, onClose }: PageSettingsProps) {
  const { editor, state } = usePageEditor(path);
  const { entry, document } = state;
  const can = useCapabilities();
  return (
    <Panel title={say.title} state={state} onClose={onClose}>
      {entry === null || document === null || can === undefined ? (
        <LoadingBlock label={say.loading} />
      ) : (
        <Settings key={entry.id} entry={entry} document={document} editor={editor} can={can} onMoved={onMoved} />
      )}
    </Panel>
  );
}

interface SettingsProps extends Pick<PageSettingsProps, 'onMoved'> {
  readonly entry: PlacedEntry;
  readonly document: EntryDocument;
  readonly editor: PageEditor;
  readonly can: Capabilities;
}

function Settings({ entry, document, editor, can, onMoved }: SettingsProps) {
  /** Elsewhere from now on: the page that is shown follows. False: it was refused; the user was told. */
  const move = async (operation: PatchOp): Promise<boolean> => {
    const { type, id, draft } = entry;
    await editor.flush();
    try {
      // Not by the editor: it would show the page again where it is no longer.
      const { change } = await api.patchEntry(type, id, {
        operations: [operation],
        expects: valuesReplacedBy(draft, [operation]),
      });
      const { path } = await api.get<PlacedEntry>(paths.entry(type, id));
      onMoved(path);
      contentChanged([change]);
      if (path !== entry.path) toast(say.addressChanged(path));
      return true;
    } catch (error) {
      reportFailure(error);
      refreshContent();
      return false;
    }
  };
  const fields = (...names: readonly (keyof typeof documentForm)[]) => (
    <WritingPlaces editor={editor} sectionId={null}>
      <FormFields
        fields={names.map((name) => documentForm[name])}
        values={document as unknown as Readonly<Record<string, JsonValue>>}
        words={wordsOf}
        write={(field, value) => editor.setValue({ sectionId: null, field }, value)}
      />
    </WritingPlaces>
  );
  return (
    <>
      {fields('title')}
      <Address entry={entry} leadsOn={can.redirects} onMove={move} />
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
        <section aria-label={say.search} className="flex flex-col gap-4 border-t border-rule pt-5">
          <SearchResult entry={entry} document={document} />
          {fields('seo')}
        </section>
      )}
      {can.scheduling && <Publication entry={entry} />}
    </>
  );
}

function wordsOf(name: string): FieldWords {
  return pageFieldWords[name as keyof typeof pageFieldWords];
}

interface AddressProps {
  readonly entry: PlacedEntry;
  /** The CMS redirects from former addresses. */
  readonly leadsOn: boolean;
  readonly onMove: (operation: PatchOp) => Promise<boolean>;
}

/** The last part of the address; changed by a button, because links to the former one are out there. */
function Address({ entry, leadsOn, onMove }: AddressProps) {
  const { slug } = entry.draft;
  const [typed, setTyped] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const text = typed ?? slug;
  const [problem] = documentForm.slug.check(text).problems;
  const change = async () => {
    setIsBusy(true);
    const isMoved = await onMove({ op: 'set', field: 'slug', value: text });
    setIsBusy(false);
    // What was refused, or typed meanwhile, stays to be corrected.
    if (isMoved) setTyped((now) => (now === text ? null : now));
  };
  if (entry.path === '/') {
    return (
      <div>
        <p className="mb-1 text-sm font-medium">{say.address}</p>
        <p className="text-sm text-ink-2">{say.addressHome}</p>
      </div>
    );
  }
  const above = entry.path.slice(0, entry.path.lastIndexOf('/') + 1);
  const hint =
    entry.publishedPath === null
      ? say.addressDraft
      : leadsOn
        ? say.addressRedirect(entry.publishedPath)
        : say.addressLost(entry.publishedPath);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && text !== slug) void change();
      }}
    >
      <Field label={say.address} hint={hint}>
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
              className={formFieldLook}
            />
          </div>
        )}
      </Field>
      <Problem text={problem ? sentence(problem.message) : null} className="mt-1 text-xs!" />
      {text !== slug && (
        <Button type="submit" variant="primary" className="mt-2" disabled={isBusy || problem !== undefined}>
          {say.addressSave}
        </Button>
      )}
    </form>
  );
}

/** The page that this one stands below: one that is not below it itself. */
function Parent({ entry, onMove }: Pick<AddressProps, 'entry' | 'onMove'>) {
  const { entries = [] } = useEntries();
  const [isBusy, setIsBusy] = useState(false);
  const pages = entries.filter(({ type, id }) => type === 'page' && !isBelow(id, entry.id, entries));
  const change = async (id: string) => {
    setIsBusy(true);
    await onMove(id === '' ? { op: 'unset', field: 'parent' } : { op: 'set', field: 'parent', value: id });
    setIsBusy(false);
  };
  return (
    <Field label={say.parent}>
      {(ids) => (
        <select
          {...ids}
          value={entry.draft.parent ?? ''}
          disabled={isBusy || entry.path === '/'}
          onChange={({ target }) => void change(target.value)}
          className={formFieldLook}
        >
          <option value="">{say.noParent}</option>
          {pages.map(({ id, title, path }) => (
            <option key={id} value={id}>
              {say.parentOption(title, path)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** True for a page itself and all that stand below it. */
function isBelow(id: string | undefined, above: string, entries: readonly Pick<EntryItem, 'id' | 'parent'>[]): boolean {
  const seen = new Set<string>();
  for (let at = id; at !== undefined && !seen.has(at); at = entries.find((each) => each.id === at)?.parent) {
    if (at === above) return true;
    seen.add(at);
  }
  return false;
}

/** The page as a search engine would list it. */
function SearchResult({ entry, document }: Pick<SettingsProps, 'entry' | 'document'>) {
  const id = useId();
  const { data: settings } = useSWR<SiteSettings>(paths.settings);
  if (settings === undefined) return null;
  const page = { kind: 'entry' as const, entry: { type: entry.type, document } };
  const { title, description } = siteHead({ settings, page, path: entry.path, address: null });
  const places = entry.path.split('/').filter(Boolean);
  return (
    <figure aria-labelledby={id} className="rounded-lg border border-rule bg-sheet p-3">
      <figcaption id={id} className="mb-2 text-xs text-ink-3">
        {say.searchHint}
      </figcaption>
      {document.seo?.noIndex === true ? (
        <p className="text-sm text-ink-2">{say.searchHidden}</p>
      ) : (
        <>
          <p className="truncate text-xs text-ink-2">{[settings.siteName, ...places].join(' › ')}</p>
          <p className="mt-0.5 line-clamp-1 text-base text-accent">{title}</p>
          <p className="mt-0.5 line-clamp-2 text-sm text-ink-2">{description || say.noDescription}</p>
        </>
      )}
    </figure>
  );
}

/** Planned publication of a page: to plan, change or cancel it. */
function Publication({ entry }: { readonly entry: PlacedEntry }) {
  const { type, id, publishAt, status, draft } = entry;
  const dialog = useOpened();
  if (status === 'published' && publishAt === null) return null;
  return (
    <section aria-label={say.schedule} className="border-t border-rule pt-5">
      <h3 className="text-sm font-medium">{say.schedule}</h3>
      <div className="mt-1 flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-ink-2">
          {publishAt === null ? say.notScheduled : say.scheduled(plannedTime(publishAt))}
        </p>
        <Button onClick={() => dialog.open()}>
          <CalendarClock aria-hidden className="size-4 stroke-[1.75]" />
          {publishAt === null ? say.plan : say.changePlan}
        </Button>
      </div>
      {dialog.opened && <PlanDialog entry={{ type, id, publishAt, title: draft.title }} onClose={dialog.close} />}
    </section>
  );
}

interface CmsFieldsProps {
  readonly document: EntryDocument;
  readonly editor: PageEditor;
  /** Groups to offer though the entry is in none of them. */
  readonly groups: readonly string[];
}

/** `acme_area` as a label. */
function labelOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const cmsWords = (name: string) => ({ label: labelOf(name), item: labelOf(name) });

/** Fields that only the connected CMS has: groups beside tags, and custom fields. What is no text is only shown. */
function CmsFields({ document, editor, groups }: CmsFieldsProps) {
  const { terms = {}, custom = {} } = document;
  const taxonomies = [...new Set([...groups, ...Object.keys(terms)])];
  const texts = Object.keys(custom).filter((name) => typeof custom[name] === 'string');
  const others = Object.entries(custom).filter(([, value]) => typeof value !== 'string');
  if (taxonomies.length === 0 && Object.keys(custom).length === 0) return null;
  const write =
    (field: 'terms' | 'custom', values: Readonly<Record<string, JsonValue>>, none: JsonValue) =>
    (name: string, value: JsonValue | null) =>
      editor.setValue({ sectionId: null, field }, { ...values, [name]: value ?? none });
  return (
    <section aria-label={pageFieldWords.terms.label} className="flex flex-col gap-4 border-t border-rule pt-5">
      <WritingPlaces editor={editor} sectionId={null}>
        <FormFields
          fields={taxonomies.map((name) => ({ ...documentForm.tags, name }))}
          values={terms as Readonly<Record<string, JsonValue>>}
          words={cmsWords}
          write={write('terms', terms as Readonly<Record<string, JsonValue>>, [])}
        />
        <FormFields
          fields={texts.map((name) => ({ ...documentForm.excerpt, name }))}
          values={custom}
          words={cmsWords}
          write={write('custom', custom, '')}
        />
      </WritingPlaces>
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
