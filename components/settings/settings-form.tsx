'use client';

import { useRef, useState } from 'react';
import { ApiKeys } from '#components/keys/api-keys';
import { translator } from '#components/i18n.ts';
import { served } from '#components/served-words.ts';
import { MailSection } from '#components/settings/mail-section';
import { PeopleSection } from '#components/settings/people';
import { PersonalDataSection } from '#components/settings/personal-data';
import { Providers } from '#components/providers/providers';
import { type DraftState, useSettingsDraft } from '#components/settings/setting-draft.ts';
import { matchingSettings } from '#components/settings/setting-text.ts';
import { SettingsGroup } from '#components/settings/settings-group';
import { HelpedSection } from '#components/ui/help-section';
import { SettingsIndex } from '#components/settings/settings-index';
import { SitesSection } from '#components/settings/sites/sites-section';
import { StandingSection, type StoredStanding } from '#components/settings/standing-section';
import { ToolServersSection } from '#components/settings/tool-servers-section';
import { settingsStrings } from '#components/settings/words.ts';
import { Button } from '#components/ui/buttons';
import { SearchField } from '#components/ui/fields';
import { focusSince } from '#components/ui/focus/focus.ts';
import { Notice } from '#components/ui/notices';
import { UnsavedGuard } from '#components/ui/dialogs/unsaved-guard';
import type { ProcessSetting, SettingGroup, SettingsReport } from '#server/core/admin/settings-report';

const t = translator('apiKeys');
const tProviders = translator('providers');

interface SettingsFormProps {
  /** Site of the standing instructions. */
  readonly siteId: string;
  readonly standing: StoredStanding;
  readonly report: SettingsReport;
  /** Called with the settings in force after a save. */
  readonly onSaved: (report: SettingsReport) => void;
}

const groupNames = Object.keys(settingsStrings.groups) as SettingGroup[];

/**
 * The settings page: all settings of the engine, which are found by a search and saved together, and sections that save
 * on their own (sites, providers, people, keys).
 */
export function SettingsForm({ report, onSaved, siteId, standing }: SettingsFormProps) {
  const draft = useSettingsDraft(report, onSaved);
  const [isStandingDirty, setIsStandingDirty] = useState(false);
  const unsaved = draft.changed.length + (isStandingDirty ? 1 : 0);
  const [query, setQuery] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const isSearching = query.trim() !== '';
  const found = matchingSettings(report, query);

  const focusProblem = () => {
    const row = form.current?.querySelector('[data-invalid="true"]');
    row?.querySelector<HTMLElement>(':is(input, button)[aria-invalid="true"], :is(input, button, select)')?.focus();
  };
  const focusForm = () => form.current?.focus({ preventScroll: true });
  const save = async () => {
    const focus = focusSince();
    const isSaved = await draft.save();
    // The next render marks refused fields and removes the bar with the button.
    setTimeout(() => {
      if (!focus.mayMove()) return;
      if (!isSaved) focusProblem();
      else if (!document.activeElement?.matches('input')) focusForm();
    });
  };

  return (
    <form
      ref={form}
      noValidate
      tabIndex={-1}
      aria-label={settingsStrings.title}
      className="outline-none mt-8 grid gap-x-12 lg:grid-cols-[12.5rem_minmax(0,1fr)]"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {/* Padding for the focus ring of the field, which would be cut off. */}
      <aside className="lg:sticky lg:top-19 lg:-m-1 lg:max-h-[calc(100dvh-6rem)] lg:self-start lg:overflow-y-auto lg:p-1 lg:pb-4">
        <SearchField
          label={settingsStrings.search}
          value={query}
          onChange={setQuery}
          // Enter in a search field must not save the form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <output aria-live="polite" className="mt-1 block min-h-5 text-xs text-ink-3">
          {isSearching ? settingsStrings.matches(found.length) : ''}
        </output>
        {!isSearching && (
          <SettingsIndex report={report} changed={draft.changed} unsaved={isStandingDirty ? ['standing'] : []} />
        )}
      </aside>
      <div className="max-w-3xl min-w-0">
        {/* Stays mounted during a search, to keep unsaved text. */}
        <div hidden={isSearching}>
          <SitesSection />
          <StandingSection key={siteId} {...standing} onDirty={setIsStandingDirty} />
        </div>
        {groupNames.map((group) => (
          <SettingsGroup
            key={group}
            group={group}
            report={report}
            settings={found.filter((setting) => setting.group === group)}
            draft={draft}
            isSearching={isSearching}
          >
            {group === 'models' && !isSearching && <ProvidersSection />}
            {group === 'tools' && !isSearching && <ToolServersSection />}
          </SettingsGroup>
        ))}
        {!isSearching && <MailSection settings={report.process} />}
        {!isSearching && <PeopleSection />}
        {!isSearching && <PersonalDataSection />}
        {!isSearching && <ApiKeysSection />}
        {!isSearching && <ProcessSection settings={report.process} />}
        {isSearching && found.length === 0 && (
          <Notice
            title={settingsStrings.noMatch(query.trim())}
            action={{ label: settingsStrings.clearSearch, run: () => setQuery('') }}
          />
        )}
        <SaveBar
          draft={draft}
          onShowProblem={focusProblem}
          onDiscard={() => {
            draft.discard();
            focusForm();
          }}
        />
      </div>
      <UnsavedGuard
        isDirty={unsaved > 0}
        title={settingsStrings.leave.title}
        body={settingsStrings.leave.body(unsaved)}
        leave={settingsStrings.leave.leave}
      />
    </form>
  );
}

interface SaveBarProps {
  readonly draft: DraftState;
  /** Moves to the first setting with a problem. */
  readonly onShowProblem: () => void;
  readonly onDiscard: () => void;
}

/** Number of unsaved changes with buttons to save or discard them; hidden if there are none. */
function SaveBar({ draft, onShowProblem, onDiscard }: SaveBarProps) {
  const { changed, problems, failure, isSaving } = draft;
  const wrong = Object.keys(problems).length;
  if (changed.length === 0) return null;
  return (
    <section
      aria-label={settingsStrings.save.label}
      className="sticky bottom-4 z-20 flex animate-rise flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-rule-strong bg-sheet px-4 py-3 shadow-sheet"
    >
      <div className="min-w-40 flex-1 text-sm">
        <output className="font-medium">{settingsStrings.save.changes(changed.length)}</output>
        {wrong > 0 && (
          <button
            type="button"
            onClick={onShowProblem}
            className="ml-3 rounded text-red underline decoration-1 underline-offset-2"
          >
            {settingsStrings.save.wrong(wrong)}
          </button>
        )}
        {failure !== null && (
          <p role="alert" className="text-red">
            {failure}
          </p>
        )}
      </div>
      <div className="ml-auto flex gap-2">
        <Button variant="ghost" className="h-9" disabled={isSaving} onClick={onDiscard}>
          {settingsStrings.save.discard}
        </Button>
        <Button type="submit" variant="primary" className="h-9 min-w-20" disabled={isSaving}>
          {isSaving ? settingsStrings.save.saving : settingsStrings.save.save}
        </Button>
      </div>
    </section>
  );
}

/** Environment variables of the server, read-only. */
function ProcessSection({ settings }: { readonly settings: readonly ProcessSetting[] }) {
  return (
    <HelpedSection name="process" title={settingsStrings.process.title} body={settingsStrings.process.body}>
      <dl className="border-t border-rule">
        {settings.map((setting) => (
          <div
            key={setting.name}
            className="grid gap-x-8 gap-y-1 border-b border-rule py-3.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
          >
            <dt className="min-w-0">
              <code className="font-mono text-xs break-all">{setting.name}</code>
              <span className="mt-0.5 block text-sm text-ink-2">
                {served()?.variables[setting.name] ?? setting.description}
              </span>
            </dt>
            <dd className="min-w-0 text-sm">
              <Value setting={setting} />
              {setting.default !== '' && setting.isSet && (
                <span className="block text-xs text-ink-3">{settingsStrings.process.default(setting.default)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </HelpedSection>
  );
}

function Value({ setting: { isSecret, isSet, value } }: { readonly setting: ProcessSetting }) {
  if (isSecret && isSet) return <span className="text-ink-2">{settingsStrings.process.secretSet}</span>;
  if (value === null) return <span className="text-ink-3">{settingsStrings.process.unset}</span>;
  return <code className="font-mono text-xs break-all">{value}</code>;
}

/** Model providers on the settings page. */
function ProvidersSection() {
  return (
    <HelpedSection name="providers" title={tProviders('title')} body={tProviders('body')}>
      <Providers />
    </HelpedSection>
  );
}

/** API keys on the settings page. */
export function ApiKeysSection() {
  return (
    <HelpedSection name="api-keys" title={t('title')} body={t('body')}>
      <ApiKeys />
    </HelpedSection>
  );
}
