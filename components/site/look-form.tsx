import clsx from 'clsx';
import type { ReactNode } from 'react';
import { paths } from '#components/api/paths';
import { useEntries } from '#components/desk/entries';
import { PictureControl } from '#components/editor/picture-control';
import { type SiteDocumentEditor, useSiteDocument } from '#components/site/use-site-document';
import { siteSettingsStrings } from '#components/site/words';
import { Button } from '#components/ui/buttons';
import { Field, formFieldLook } from '#components/ui/fields';
import { Problem } from '#components/ui/submit';
import type { SiteSettings } from '#server/core/content';

const say = siteSettingsStrings.look;

type SettingName = keyof typeof say.fields;

/** The settings that differ. */
export function changesOf(settings: SiteSettings, base: SiteSettings): Partial<SiteSettings> {
  const names = Object.keys(base) as (keyof SiteSettings)[];
  return Object.fromEntries(
    names.filter((name) => settings[name] !== base[name]).map((name) => [name, settings[name]]),
  );
}

/** The settings as they are being edited. */
export function useLook(): SiteDocumentEditor<SiteSettings> {
  return useSiteDocument<SiteSettings, SiteSettings & { readonly revision: number }>({
    address: paths.settings,
    method: 'PATCH',
    read: ({ revision: _, ...settings }) => settings,
    body: changesOf,
    rebase: (draft, before, stored) => ({ ...stored, ...changesOf(draft, before) }),
    saved: say.saved,
  });
}

interface LookFormProps {
  readonly editor: SiteDocumentEditor<SiteSettings>;
  /** WordPress has a place for some of them only. */
  readonly isInWordPress: boolean;
  readonly isReadOnly: boolean;
}

/** Name, tagline, home page and look. */
export function LookForm({ editor, isInWordPress, isReadOnly }: LookFormProps) {
  const { draft } = editor;
  if (draft === null) return null;
  const write = (name: SettingName) => (value: string) => editor.change((now) => ({ ...now, [name]: value }));
  const line = (name: SettingName, type = 'text') => (
    <SettingField name={name} editor={editor}>
      {(ids) => (
        <input
          {...ids}
          type={type}
          autoComplete="off"
          value={draft[name]}
          onChange={({ target }) => write(name)(target.value)}
          className={formFieldLook}
        />
      )}
    </SettingField>
  );
  return (
    <fieldset disabled={isReadOnly} className="flex max-w-2xl min-w-0 flex-col gap-5">
      {line('siteName')}
      {line('tagline')}
      <SettingField name="homeSlug" editor={editor}>
        {(ids) => <HomePage {...ids} value={draft.homeSlug} onChange={write('homeSlug')} />}
      </SettingField>
      {isInWordPress ? (
        <p className="text-sm text-ink-2">{say.inWordPress}</p>
      ) : (
        <>
          {line('contactEmail', 'email')}
          <SettingField name="footerText" editor={editor}>
            {(ids) => (
              <textarea
                {...ids}
                rows={2}
                value={draft.footerText}
                onChange={({ target }) => write('footerText')(target.value)}
                className={clsx(formFieldLook, 'block h-auto! resize-y py-2 [field-sizing:content]')}
              />
            )}
          </SettingField>
          <SettingField name="accentColor" editor={editor}>
            {(ids) => (
              <div className="flex items-center gap-3">
                <input
                  {...ids}
                  type="color"
                  value={draft.accentColor}
                  onChange={({ target }) => write('accentColor')(target.value)}
                  className="h-9 w-16 rounded-md border border-rule-strong bg-sheet p-1"
                />
                <code className="font-mono text-xs text-ink-2">{draft.accentColor}</code>
              </div>
            )}
          </SettingField>
          <SettingField name="icon" editor={editor}>
            {(ids) => (
              <div data-panel tabIndex={-1} className="outline-none">
                <PictureControl
                  {...ids}
                  value={draft.icon}
                  isOptional
                  onChange={write('icon')}
                  onPicture={() => undefined}
                />
              </div>
            )}
          </SettingField>
        </>
      )}
    </fieldset>
  );
}

interface ControlIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface SettingFieldProps {
  readonly name: SettingName;
  readonly editor: SiteDocumentEditor<SiteSettings>;
  readonly children: (ids: ControlIds) => ReactNode;
}

/** A setting with its hint, what is wrong with it, and what somebody else has saved in its place. */
function SettingField({ name, editor, children }: SettingFieldProps) {
  const { draft, base, overtaken, problems } = editor;
  const problem = problems[name] ?? null;
  const isOvertaken = overtaken !== null && overtaken[name] !== base?.[name] && draft?.[name] !== base?.[name];
  return (
    <div>
      <Field {...say.fields[name]}>
        {(ids) => children({ ...ids, 'aria-invalid': problem === null ? undefined : true })}
      </Field>
      <Problem text={problem} className="mt-1 text-xs!" />
      {isOvertaken && base !== null && (
        <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-amber [overflow-wrap:anywhere]">
          {say.stored(base[name])}
          <Button onClick={() => editor.change((now) => ({ ...now, [name]: base[name] }))}>{say.take}</Button>
        </p>
      )}
    </div>
  );
}

interface HomePageProps extends ControlIds {
  readonly value: string;
  readonly onChange: (slug: string) => void;
}

/** Choice of the page that stands at the root of the site. */
function HomePage({ value, onChange, ...ids }: HomePageProps) {
  const { entries = [] } = useEntries();
  const pages = entries.filter(({ type }) => type === 'page');
  return (
    <select {...ids} value={value} onChange={({ target }) => onChange(target.value)} className={formFieldLook}>
      {!pages.some(({ slug }) => slug === value) && <option value={value}>{say.noPage(value)}</option>}
      {pages.map(({ id, slug, title, status }) => (
        <option key={id} value={slug}>
          {status === 'draft' ? say.draft(title) : title}
        </option>
      ))}
    </select>
  );
}
