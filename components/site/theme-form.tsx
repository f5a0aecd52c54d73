import clsx from 'clsx';
import { type ReactNode, useId } from 'react';
import Link from 'next/link';
import { LIBRARY_DESIGN_PATH } from '#components/workspace/navigation.ts';
import { useApi } from '#components/api/use-api.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { useEntries } from '#components/workspace/entries.ts';
import { PictureControl } from '#components/editor/pictures/picture-control';
import { type SiteDocumentEditor, useSiteDocument } from '#components/site/use-site-document.ts';
import { translator } from '#components/i18n.ts';
import { currentLanguage } from '#components/language.ts';
import { Button } from '#components/ui/buttons';
import { Field, formFieldStyle } from '#components/ui/fields';
import { Problem } from '#components/ui/dialogs/submit';
import type { SiteSettings } from '#server/core/site/content';

const t = translator('siteSettings.look');

type SettingName =
  | 'siteName'
  | 'tagline'
  | 'homeSlug'
  | 'contactEmail'
  | 'footerText'
  | 'accentColor'
  | 'language'
  | 'icon';

/** The settings that differ from `base`. */
function changesOf(settings: SiteSettings, base: SiteSettings): Partial<SiteSettings> {
  const names = Object.keys(base) as (keyof SiteSettings)[];
  return Object.fromEntries(
    names.filter((name) => settings[name] !== base[name]).map((name) => [name, settings[name]]),
  );
}

/** Edits the settings of the site; see useSiteDocument. */
export function useThemeSettings(): SiteDocumentEditor<SiteSettings> {
  return useSiteDocument<SiteSettings, SiteSettings & { readonly revision: number }>({
    address: paths.settings,
    read: ({ revision: _, ...settings }) => settings,
    write: (settings, base, ifRevision) =>
      api.request('PATCH', '/api/content/settings', { query: { ifRevision }, body: changesOf(settings, base) }),
    rebase: (draft, before, stored) => ({ ...stored, ...changesOf(draft, before) }),
    saved: t('saved'),
  });
}

interface ThemeFormProps {
  readonly editor: SiteDocumentEditor<SiteSettings>;
  /** True for a WordPress site, which supports only some of the settings. */
  readonly isInWordPress: boolean;
  readonly isReadOnly: boolean;
}

/** Name, tagline, home page and theme. */
export function ThemeForm({ editor, isInWordPress, isReadOnly }: ThemeFormProps) {
  const { draft } = editor;
  const { data: design } = useApi(paths.design);
  if (draft === null) return null;
  // Both versions have a brand colour of their own, so that the one of the settings is not shown anywhere.
  const hasOwnBrand = design?.draft.palette.brand !== '' && (design?.published?.palette.brand ?? '') !== '';
  const hasOwnIcon = design !== undefined && design.draft.icon !== '' && (design.published?.icon ?? '') !== '';
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
          className={formFieldStyle}
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
        <p className="text-sm text-ink-2">{t('inWordPress')}</p>
      ) : (
        <>
          <SettingField name="language" editor={editor}>
            {(ids) => <SiteLanguage {...ids} value={draft.language} onChange={write('language')} />}
          </SettingField>
          {line('contactEmail', 'email')}
          <SettingField name="footerText" editor={editor}>
            {(ids) => (
              <textarea
                {...ids}
                rows={2}
                value={draft.footerText}
                onChange={({ target }) => write('footerText')(target.value)}
                className={clsx(formFieldStyle, 'block h-auto! resize-y py-2 [field-sizing:content]')}
              />
            )}
          </SettingField>
          {hasOwnBrand ? (
            <InDesign text={t('colorInDesign')} />
          ) : (
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
          )}
          {hasOwnIcon ? (
            <InDesign text={t('iconInDesign')} />
          ) : (
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
          )}
        </>
      )}
    </fieldset>
  );
}

/** Says that a setting is part of the design. */
function InDesign({ text }: { readonly text: string }) {
  return (
    <p className="text-sm text-ink-2">
      {text}{' '}
      <Link href={LIBRARY_DESIGN_PATH} className="underline underline-offset-2">
        {t('toDesign')}
      </Link>
    </p>
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

/** A setting with its hint, its problem, and the value that another person has saved for it. */
function SettingField({ name, editor, children }: SettingFieldProps) {
  const { draft, base, overtaken, problems } = editor;
  const problem = problems[name] ?? null;
  const isOvertaken = overtaken !== null && overtaken[name] !== base?.[name] && draft?.[name] !== base?.[name];
  return (
    <div>
      <Field label={t(`fields.${name}.label`)} hint={t(`fields.${name}.hint`)}>
        {(ids) => children({ ...ids, 'aria-invalid': problem === null ? undefined : true })}
      </Field>
      <Problem text={problem} className="mt-1 text-xs!" />
      {isOvertaken && base !== null && (
        <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-amber [overflow-wrap:anywhere]">
          {base[name] === '' ? t('emptied') : t('stored', { value: base[name] })}
          <Button onClick={() => editor.change((now) => ({ ...now, [name]: base[name] }))}>{t('take')}</Button>
        </p>
      )}
    </div>
  );
}

/** Languages that are offered; any other can be typed. A choice: the largest on the web, and those of the interface. */
const OFFERED_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'pt-BR', 'cs', 'da', 'sv', 'tr', 'uk', 'ja'];

interface SiteLanguageProps extends ControlIds {
  readonly value: string;
  readonly onChange: (language: string) => void;
}

/** Choice of the language of the site by its tag. */
function SiteLanguage({ value, onChange, ...ids }: SiteLanguageProps) {
  const listId = useId();
  const names = new Intl.DisplayNames(currentLanguage().code, { type: 'language' });
  return (
    <>
      <input
        {...ids}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className={formFieldStyle}
      />
      <datalist id={listId}>
        {OFFERED_LANGUAGES.map((tag) => (
          <option key={tag} value={tag}>
            {names.of(tag)}
          </option>
        ))}
      </datalist>
    </>
  );
}

interface HomePageProps extends ControlIds {
  readonly value: string;
  readonly onChange: (slug: string) => void;
}

/** Choice of the home page. */
function HomePage({ value, onChange, ...ids }: HomePageProps) {
  const { entries = [] } = useEntries();
  const pages = entries.filter(({ type }) => type === 'page');
  return (
    <select {...ids} value={value} onChange={({ target }) => onChange(target.value)} className={formFieldStyle}>
      {!pages.some(({ slug }) => slug === value) && <option value={value}>{t('noPage', { slug: value })}</option>}
      {pages.map(({ id, slug, title, status }) => (
        <option key={id} value={slug}>
          {status === 'draft' ? t('draft', { title }) : title}
        </option>
      ))}
    </select>
  );
}
